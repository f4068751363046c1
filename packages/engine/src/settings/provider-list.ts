import { type Config, ConfigError } from '@parley/config'
import { configDefaults } from '@parley/config/defaults'
import type { KeysFound } from '@parley/credentials'
import { builtinProviders, keyVariable, type ProviderConfig } from '@parley/models'
import type { ResultOf } from '@parley/protocol'
import type { Redaction } from '@parley/redaction'
import { keptList } from './kept-lists.ts'
import type { ListPorts } from './model-lists.ts'
import { type ChosenProvider, chooseProvider, providerOf, usableProviders } from './model-sources.ts'
import { isInstalled } from './plugin-provider.ts'
import { readConfig } from './read-config.ts'

type ProviderRow = ResultOf<'provider/list'>['providers'][number]

interface ProviderPorts extends Pick<ListPorts, 'home' | 'env' | 'keys' | 'files'> {
  readonly redaction: Redaction
}

/** Lists the ready-made and the configured providers in the order of choice, and says which one is chosen and why. */
export function listProviders(ports: ProviderPorts): ResultOf<'provider/list'> {
  const { home, env, keys } = ports
  const { values } = readConfig(home, {})
  const found = { env, kept: keys.kept() }
  const chosen = chooseProvider(values, found)
  const ids = [...builtinProviders(env).map(({ id }) => id), ...Object.keys(values.model_providers ?? {})]
  return {
    providers: [...new Set(ids)].map((id) => listed(id, values, { ports, found, chosen: chosen?.id ?? null })),
    chosen: chosen === null ? null : choiceOf(chosen),
  }
}

/** Returns the providers that this server can ask; an empty list while its configuration or logins cannot be read. */
export function askableProviders({ home, env, keys }: Pick<ListPorts, 'home' | 'env' | 'keys'>): readonly string[] {
  try {
    return usableProviders(readConfig(home, {}).values, { env, kept: keys.kept() })
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return []
  }
}

function choiceOf({ id: provider, ...chosen }: ChosenProvider): ResultOf<'provider/list'>['chosen'] {
  return { provider, ...chosen }
}

interface ProviderListing {
  readonly ports: ProviderPorts
  /** Id of the provider that a new conversation would use. */
  readonly chosen: string | null
  readonly found: KeysFound
}

function listed(id: string, config: Config, { ports, chosen, found }: ProviderListing): ProviderRow {
  const { home, env, redaction } = ports
  const isConfigured = config.model_providers?.[id] !== undefined
  const origin = isConfigured ? ('configured' as const) : ('builtIn' as const)
  const provider = providerOf(id, config, env)
  const always = { id, origin, chosen: chosen === id }
  if (provider === null) return { ...always, ...withoutAddress(id, config) }
  const kept = keptList(provider, ports)
  const { package: packageName } = provider
  return {
    ...always,
    name: provider.name,
    wire: provider.wireApi,
    baseUrl: redaction.text(provider.baseUrl || (provider.package ?? '')),
    ...keyOf(provider, found),
    ...(config.model_providers?.[id]?.oauth === undefined ? {} : { hasOAuth: true as const }),
    ...(provider.defaultModel === undefined ? {} : { defaultModel: provider.defaultModel }),
    ...(kept === null ? {} : { models: kept.models.length, listedAt: kept.listedAt }),
    ...(packageName === undefined ? {} : { package: { name: packageName, installed: isInstalled(home, packageName) } }),
  }
}

/** Describes a provider that plays a recording or has no `base_url`. */
function withoutAddress(
  id: string,
  { model_providers: all = {} }: Config,
): Pick<ProviderRow, 'name' | 'wire' | 'baseUrl' | 'variables' | 'key'> {
  const { name = id, wire_api: wire = configDefaults.wire_api } = all[id] ?? {}
  return { name, wire, baseUrl: '', variables: [], key: 'notNeeded' }
}

function keyOf(provider: ProviderConfig, { env, kept }: KeysFound): Pick<ProviderRow, 'variables' | 'key' | 'keyFrom'> {
  const variables = [provider.envKey, provider.otherEnvKey].filter((name) => name !== undefined)
  const keyFrom = keyVariable(provider, env)
  if (keyFrom !== undefined) return { variables, key: 'set', keyFrom }
  if (kept.has(provider.id)) return { variables, key: 'kept' }
  return { variables, key: provider.envKey === undefined && provider.needsLogin !== true ? 'notNeeded' : 'missing' }
}
