import { type Env, type Provider, providerDefaults } from './port/wire.ts'

/** Names that `wire_api` selects. */
export type WireName = 'responses' | 'anthropic' | 'gemini' | 'chat' | 'plugin' | 'recorded'

export interface ProviderConfig extends Provider {
  readonly wireApi: WireName
  /** Set for a provider that the user logs in to by OAuth, so that it cannot be asked without. */
  readonly needsLogin?: true
}

/** Provider that needs no configuration. */
interface Entry extends Pick<Provider, 'id' | 'name' | 'envKey' | 'otherEnvKey' | 'defaultModel'> {
  readonly wireApi: WireName
  readonly baseUrl: string
  /** Variable that replaces the base URL. */
  readonly envBaseUrl?: string
  /** Version that is added to an address from that variable unless it ends in it: such addresses are given without. */
  readonly envVersion?: string
}

/** Ready-made providers in the order in which they are listed and, if their key is set, chosen. */
const table: readonly Entry[] = [
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

interface KeyedFields {
  readonly baseUrl: string
  readonly envKey: string
  readonly defaultModel: string
}

function keyed(id: string, name: string, fields: KeyedFields): Entry {
  return { id, name, wireApi: 'chat', ...fields }
}

function local(id: string, name: string, port: number): Entry {
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
