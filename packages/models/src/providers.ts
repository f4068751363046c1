import { retryDefaults } from './failures/plan-retry.ts'
import type { Env, Provider, ProviderLimits } from './port/provider.ts'

/** Names that `wire_api` selects. */
export type WireName = 'responses' | 'anthropic' | 'gemini' | 'chat' | 'plugin' | 'recorded'

export interface ProviderConfig extends Provider {
  readonly wireApi: WireName
  /** Set for a provider with a login by OAuth, which rejects requests without it. */
  readonly needsLogin?: true
}

/** Values of a provider without configured ones. */
export const providerDefaults = {
  headers: {},
  queryParams: {},
  ...retryDefaults,
  streamIdleTimeoutMs: 300_000,
} satisfies ProviderLimits & Pick<Provider, 'headers' | 'queryParams'>

/** Provider that needs no configuration. */
interface BuiltinProvider extends Pick<Provider, 'id' | 'name' | 'envKey' | 'otherEnvKey' | 'defaultModel'> {
  readonly wireApi: WireName
  readonly baseUrl: string
  /** Variable that replaces the base URL. */
  readonly envBaseUrl?: string
  /** Version that is added to an address from that variable, unless the address ends in it already. */
  readonly envVersion?: string
}

/** Ready-made providers, in the order of listings. A new conversation takes the first provider with a key. */
const table: readonly BuiltinProvider[] = [
  {
    id: 'openai',
    name: 'OpenAI',
    wireApi: 'responses',
    baseUrl: 'https://api.openai.com/v1',
    envBaseUrl: 'OPENAI_BASE_URL',
    envKey: 'OPENAI_API_KEY',
    otherEnvKey: 'CODEX_API_KEY',
    defaultModel: 'gpt-5',
  },
  {
    id: 'anthropic',
    name: 'Anthropic',
    wireApi: 'anthropic',
    baseUrl: 'https://api.anthropic.com/v1',
    envBaseUrl: 'ANTHROPIC_BASE_URL',
    envVersion: '/v1',
    envKey: 'ANTHROPIC_API_KEY',
    defaultModel: 'claude-sonnet-5',
  },
  {
    id: 'google',
    name: 'Google',
    wireApi: 'gemini',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    envBaseUrl: 'GOOGLE_GEMINI_BASE_URL',
    envVersion: '/v1beta',
    envKey: 'GEMINI_API_KEY',
    otherEnvKey: 'GOOGLE_API_KEY',
    defaultModel: 'gemini-3-pro-preview',
  },
  keyed('openrouter', 'OpenRouter', {
    baseUrl: 'https://openrouter.ai/api/v1',
    envKey: 'OPENROUTER_API_KEY',
    defaultModel: 'openrouter/auto',
  }),
  keyed('groq', 'Groq', {
    baseUrl: 'https://api.groq.com/openai/v1',
    envKey: 'GROQ_API_KEY',
    defaultModel: 'openai/gpt-oss-120b',
  }),
  keyed('mistral', 'Mistral', {
    baseUrl: 'https://api.mistral.ai/v1',
    envKey: 'MISTRAL_API_KEY',
    defaultModel: 'mistral-large-latest',
  }),
  keyed('deepseek', 'DeepSeek', {
    baseUrl: 'https://api.deepseek.com/v1',
    envKey: 'DEEPSEEK_API_KEY',
    defaultModel: 'deepseek-chat',
  }),
  keyed('xai', 'xAI', { baseUrl: 'https://api.x.ai/v1', envKey: 'XAI_API_KEY', defaultModel: 'grok-4' }),
  local('ollama', 'Ollama', 11434),
  local('lmstudio', 'LM Studio', 1234),
  local('llamacpp', 'llama.cpp', 8080),
  local('vllm', 'vLLM', 8000),
]

function keyed(
  id: string,
  name: string,
  fields: Pick<BuiltinProvider, 'baseUrl' | 'envKey' | 'defaultModel'>,
): BuiltinProvider {
  return { id, name, wireApi: 'chat', ...fields }
}

function local(id: string, name: string, port: number): BuiltinProvider {
  return { id, name, wireApi: 'chat', baseUrl: `http://127.0.0.1:${port}/v1` }
}

/** Returns the providers that need no configuration, with addresses from their variables. */
export function builtinProviders(env: Env): readonly ProviderConfig[] {
  return table.map(({ envBaseUrl, envVersion = '', ...entry }) => {
    const given = envBaseUrl === undefined ? '' : (env[envBaseUrl]?.trim().replace(/\/+$/, '') ?? '')
    if (given === '') return { ...providerDefaults, ...entry }
    return { ...providerDefaults, ...entry, baseUrl: given.endsWith(envVersion) ? given : `${given}${envVersion}` }
  })
}
