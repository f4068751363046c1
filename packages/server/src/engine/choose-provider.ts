import type { Config } from '@parley/config'
import type { Environment } from '@parley/models'
import { isRecordedProvider, isUsable, providerOf } from './model-sources.ts'

/** The model OpenAI users get when they name none. */
const defaultModel = 'gpt-5'

/** Variables that hold keys this version can use, as the first-run banner names them. */
export function keyVariables(config: Config): string[] {
  const configured = Object.values(config.model_providers ?? {}).flatMap(({ env_key: key }) =>
    key === undefined ? [] : [key],
  )
  return [...new Set(['OPENAI_API_KEY', ...configured])]
}

/** The provider a new conversation starts with; null when none is configured and no key is found. */
export function chooseProvider(config: Config, env: Environment): { id: string; model: string } | null {
  const named = config.model_provider
  if (named !== undefined) return { id: named, model: config.model ?? defaultModelOf(named) }
  const configured = Object.keys(config.model_providers ?? {})
  const usable = ['openai', ...configured].filter((id) => {
    const provider = providerOf(id, config, env)
    return provider !== null && isUsable(provider, env)
  })
  const [id] = usable
  return id === undefined ? null : { id, model: config.model ?? defaultModelOf(id) }
}

function defaultModelOf(providerId: string): string {
  return providerId === 'openai' ? defaultModel : isRecordedProvider(providerId) ? 'recorded' : 'default'
}
