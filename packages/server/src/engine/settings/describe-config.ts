import { shownValue, valuesByKey } from '@parley/config'
import { type Environment, probeLocal } from '@parley/models'
import { type Projects, trustNotice } from '@parley/policy'
import type { ParamsOf, ResultOf } from '@parley/protocol'
import type { Redaction } from '@parley/redaction'
import type { ModelSources } from './model-sources.ts'
import { chooseProvider, keyVariables } from './providers.ts'
import { configHere, readConfig } from './read-config.ts'

interface ModelPorts {
  /** `$PARLEY_HOME`. */
  readonly home: string
  readonly env: Environment
  readonly models: ModelSources
}

interface ConfigPorts {
  readonly home: string
  readonly env: Environment
  readonly projects: Projects
  readonly redaction: Redaction
}

/** Asks the configured providers and known local servers for their models. */
export async function listModels({ home, env, models }: ModelPorts): Promise<ResultOf<'model/list'>> {
  const { values } = readConfig(home, {})
  const chosen = chooseProvider(values, env)
  const sourceOf = models(values)
  const ids = [...new Set([...(chosen === null ? [] : [chosen.id]), ...Object.keys(values.model_providers ?? {})])]
  const { signal } = new AbortController()
  const [listings, local] = await Promise.all([
    Promise.all(ids.map(async (id) => ({ id, listing: await sourceOf(id).client.listModels(signal) }))),
    probeLocal(signal),
  ])
  return {
    models: listings.flatMap(({ id: provider, listing }) =>
      listing.type === 'models'
        ? listing.models.map((id) => ({ provider, id, current: chosen?.id === provider && chosen.model === id }))
        : [],
    ),
    problems: listings.flatMap(({ id: provider, listing }) =>
      listing.type === 'failed' ? [{ provider, message: listing.failure.message }] : [],
    ),
    local: local.map(({ provider, models: names }) => ({
      provider: provider.id,
      name: provider.name,
      baseUrl: provider.baseUrl,
      models: [...names],
    })),
  }
}

/** Returns each configuration value with its origin; secrets are redacted. */
export function describeConfig(
  params: ParamsOf<'config/read'>,
  { home, env, projects, redaction }: ConfigPorts,
): ResultOf<'config/read'> {
  const { effective, project } = configHere(params.cwd, params, { home, projects })
  const { values, origins } = effective
  const notice = trustNotice(project)
  const warnings = [...effective.warnings, ...(notice === null ? [] : [notice])]
  const chosen = chooseProvider(values, env)
  const shown = valuesByKey(values).flatMap(([key, value]) => {
    const origin = origins.get(key)
    return origin === undefined ? [] : [{ key, value: shownValue(key, value, redaction.text), origin }]
  })
  const defaults = [
    { key: 'model_provider', value: chosen?.id ?? null, origin: 'default' },
    { key: 'model', value: chosen?.model ?? null, origin: 'default' },
    { key: 'approval_policy', value: 'on-request', origin: 'default' },
    { key: 'sandbox_mode', value: 'workspace-write', origin: 'default' },
  ].filter(({ key }) => !origins.has(key))
  return {
    values: [...shown, ...defaults].sort((a, b) => (a.key < b.key ? -1 : 1)),
    warnings: [...warnings],
    credentials: { found: chosen !== null, variables: keyVariables(values) },
  }
}
