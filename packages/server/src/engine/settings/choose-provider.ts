import type { Config } from '@parley/config'
import { builtinProviders, type Environment } from '@parley/models'
import { isRecordedProvider, isUsable, providerOf } from './model-sources.ts'

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
