import { ACCESS_LIMITS, type AccessLimits, createAccess, type ProviderConfig, type WireApi } from './exchange/endpoint.ts'
import { chatWire } from './wires/chat/wire.ts'
import { createRequestStarter, type Environment } from './http/http-agents.ts'
import { listModels } from './exchange/list-models.ts'
import type { ModelClient } from './port/model-client.ts'
import { responsesWire } from './wires/responses/wire.ts'
import { streamModel } from './exchange/model-exchange.ts'
import type { Wire } from './wires/wire.ts'

const WIRES: Readonly<Record<WireApi, Wire>> = { responses: responsesWire, chat: chatWire }

const LIST_TIMEOUT_MS = 15_000

export const PROVIDER_DEFAULTS = {
  headers: {},
  queryParams: {},
  requestMaxRetries: 4,
  streamMaxRetries: 5,
  streamIdleTimeoutMs: 300_000,
} as const

export interface ModelClientPorts {
  /** Keys, configured header variables and proxies are read from here; a stored key is merged in by the caller. */
  readonly env: Environment
  readonly now?: () => number
  readonly limits?: Partial<AccessLimits>
}

export function createModelClient(provider: ProviderConfig, ports: ModelClientPorts): ModelClient {
  const { env, now = Date.now } = ports
  const limits = { ...ACCESS_LIMITS, ...ports.limits }
  const access = createAccess(provider, { env, now, limits, start: createRequestStarter(env) })
  const wire = WIRES[provider.wireApi]
  // Encrypted reasoning and thought signatures are another provider's gibberish, so the provider is part of the name.
  const adapter = `${wire.version}:${provider.id}`
  const write = wire.createWriter(adapter)
  return {
    adapter,
    stream: (request, signal) => streamModel({ access, wire, body: write(request) }, request, signal),
    listModels: (signal) => listModels(access, signal, LIST_TIMEOUT_MS),
  }
}

export function openaiProvider(env: Environment): ProviderConfig {
  return {
    ...PROVIDER_DEFAULTS,
    id: 'openai',
    name: 'OpenAI',
    baseUrl: env['OPENAI_BASE_URL']?.trim() || 'https://api.openai.com/v1',
    envKey: 'OPENAI_API_KEY',
    otherEnvKey: 'CODEX_API_KEY',
    wireApi: 'responses',
  }
}

export const LOCAL_PROVIDERS: readonly ProviderConfig[] = [
  localProvider('ollama', 'Ollama', 11434),
  localProvider('lmstudio', 'LM Studio', 1234),
  localProvider('llamacpp', 'llama.cpp', 8080),
  localProvider('vllm', 'vLLM', 8000),
]

export function builtinProviders(env: Environment): readonly ProviderConfig[] {
  return [openaiProvider(env), ...LOCAL_PROVIDERS]
}

function localProvider(id: string, name: string, port: number): ProviderConfig {
  return { ...PROVIDER_DEFAULTS, id, name, baseUrl: `http://127.0.0.1:${port}/v1`, wireApi: 'chat' }
}
