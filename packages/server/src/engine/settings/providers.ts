import type { Config } from '@parley/config'
import { builtinProviders, type Environment, type ProviderConfig, providerDefaults, readKey } from '@parley/models'

/**
 * Providers that play a recording which comes with the program: the demo's session, and the words that answer where no
 * model is configured.
 */
const recordedProviders = ['demo', 'unconfigured'] as const

export type RecordedProvider = (typeof recordedProviders)[number]

export function isRecordedProvider(providerId: string): providerId is RecordedProvider {
  return recordedProviders.some((known) => known === providerId)
}

/** Variables that hold keys this version can use, as the first-run banner names them. */
export function keyVariables(config: Config): string[] {
  const configured = Object.values(config.model_providers ?? {}).flatMap(({ env_key: key }) =>
    key === undefined ? [] : [key],
  )
  const builtIn = keyedProviders({}).flatMap(({ envKey }) => (envKey === undefined ? [] : [envKey]))
  return [...new Set([...builtIn, ...configured])]
}

/** The provider a new conversation starts with; null when none is configured and no key is found. */
export function chooseProvider(config: Config, env: Environment): { id: string; model: string } | null {
  const named = config.model_provider
  if (named !== undefined) return { id: named, model: config.model ?? defaultModelOf(named, env) }
  const configured = Object.keys(config.model_providers ?? {})
  const usable = [...keyedProviders(env).map(({ id }) => id), ...configured].filter((id) => {
    const provider = providerOf(id, config, env)
    return provider !== null && isUsable(provider, env)
  })
  const [id] = usable
  return id === undefined ? null : { id, model: config.model ?? defaultModelOf(id, env) }
}

/** Returns the built-in providers that need a key: with the key set they are chosen without any configuration. */
function keyedProviders(env: Environment) {
  return builtinProviders(env).filter(({ envKey }) => envKey !== undefined)
}

function defaultModelOf(providerId: string, env: Environment): string {
  if (isRecordedProvider(providerId)) return 'recorded'
  return builtinProviders(env).find(({ id }) => id === providerId)?.defaultModel ?? 'default'
}

/** A configured provider, or a built-in one, whose fields the configuration may change. */
export function providerOf(providerId: string, config: Config, env: Environment): ProviderConfig | null {
  const builtIn = builtinProviders(env).find(({ id }) => id === providerId)
  const settings = config.model_providers?.[providerId]
  const openaiBaseUrl = providerId === 'openai' ? config.openai_base_url : undefined
  const baseUrl = settings?.base_url ?? openaiBaseUrl ?? builtIn?.baseUrl
  if (baseUrl === undefined) return null
  const envKey = settings?.env_key ?? builtIn?.envKey
  const envHeaders = settings?.env_headers
  const otherEnvKey = settings?.env_key === undefined ? builtIn?.otherEnvKey : undefined
  const configured = settings?.wire_api === 'recorded' ? undefined : settings?.wire_api
  const wireApi = configured ?? builtIn?.wireApi ?? 'chat'
  const defaultModel = builtIn?.defaultModel
  const contextWindow = builtIn?.contextWindow
  return {
    id: providerId,
    name: settings?.name ?? builtIn?.name ?? providerId,
    baseUrl,
    wireApi,
    ...(envKey === undefined ? {} : { envKey }),
    ...(otherEnvKey === undefined ? {} : { otherEnvKey }),
    ...(defaultModel === undefined ? {} : { defaultModel }),
    ...(contextWindow === undefined ? {} : { contextWindow }),
    headers: settings?.headers ?? builtIn?.headers ?? {},
    ...(envHeaders === undefined ? {} : { envHeaders }),
    queryParams: settings?.query_params ?? builtIn?.queryParams ?? {},
    requestMaxRetries: settings?.request_max_retries ?? providerDefaults.requestMaxRetries,
    streamMaxRetries: settings?.stream_max_retries ?? providerDefaults.streamMaxRetries,
    streamIdleTimeoutMs: settings?.stream_idle_timeout_ms ?? providerDefaults.streamIdleTimeoutMs,
  }
}

/** Whether a provider could be asked: it needs no key, or its key is there. */
export function isUsable(provider: ProviderConfig, env: Environment): boolean {
  return provider.envKey === undefined || readKey(provider, env) !== undefined
}
