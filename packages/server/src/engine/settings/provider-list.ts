import type { Config } from '@parley/config'
import { builtinProviders, type Env, keyVariable, type ProviderConfig } from '@parley/models'
import type { ResultOf } from '@parley/protocol'
import type { Redaction } from '@parley/redaction'
import { keptList, type ListPorts } from './model-lists.ts'
import { chooseProvider, isUsable, providerOf } from './model-sources.ts'
import { readConfig } from './read-config.ts'

type Listed = ResultOf<'provider/list'>['providers'][number]

interface ProviderPorts extends Pick<ListPorts, 'home' | 'env' | 'files'> {
  readonly redaction: Redaction
}

/** Lists the ready-made and the configured providers in the order of choice, and says which one is chosen and why. */
export function listProviders(ports: ProviderPorts): ResultOf<'provider/list'> {
  const { home, env } = ports
  const { values } = readConfig(home, {})
  const chosen = chooseProvider(values, env)
  const ids = [...builtinProviders(env).map(({ id }) => id), ...Object.keys(values.model_providers ?? {})]
  return {
    providers: [...new Set(ids)].map((id) => listed(id, values, { ...ports, chosen: chosen?.id ?? null })),
    chosen: chosen === null ? null : { provider: chosen.id, model: chosen.model, because: chosen.because },
  }
}

interface ListedPorts extends ProviderPorts {
  /** Id of the provider that a new conversation would use. */
  readonly chosen: string | null
}

function listed(id: string, config: Config, { env, chosen, redaction, ...ports }: ListedPorts): Listed {
  const isConfigured = config.model_providers?.[id] !== undefined
  const origin = isConfigured ? ('configured' as const) : ('builtIn' as const)
  const provider = providerOf(id, config, env)
  const always = { id, origin, chosen: chosen === id }
  if (provider === null) return { ...always, ...withoutAddress(id, config) }
  const kept = keptList(provider, ports)
  return {
    ...always,
    name: provider.name,
    wire: provider.wireApi,
    baseUrl: redaction.text(provider.baseUrl),
    ...keyOf(provider, env),
    ...(provider.defaultModel === undefined ? {} : { defaultModel: provider.defaultModel }),
    ...(kept === null ? {} : { models: kept.models.length, listedAt: kept.listedAt }),
  }
}

/** Describes a provider that plays a recording, or whose `base_url` is missing. */
function withoutAddress(
  id: string,
  { model_providers: all = {} }: Config,
): Pick<Listed, 'name' | 'wire' | 'baseUrl' | 'variables' | 'key'> {
  const { name = id, wire_api: wire = 'chat' } = all[id] ?? {}
  return { name, wire, baseUrl: '', variables: [], key: 'notNeeded' }
}

function keyOf(provider: ProviderConfig, env: Env): Pick<Listed, 'variables' | 'key' | 'keyFrom'> {
  const variables = [provider.envKey, provider.otherEnvKey].filter((name) => name !== undefined)
  const keyFrom = keyVariable(provider, env)
  if (provider.envKey === undefined) return { variables, key: 'notNeeded' }
  return { variables, key: isUsable(provider, env) ? 'set' : 'missing', ...(keyFrom === undefined ? {} : { keyFrom }) }
}
