import { isLoopbackHost } from '@parley/text'
import { overHttp } from './exchange/over-http.ts'
import type { ClientPorts } from './port/client-ports.ts'
import type { ModelClient } from './port/model-client.ts'
import type { Provider } from './port/provider.ts'
import type { Wire } from './port/wire.ts'
import { builtinProviders, type ProviderConfig, type WireName } from './providers.ts'
import { anthropicWire } from './wires/anthropic/wire.ts'
import { chatWire } from './wires/chat/wire.ts'
import { geminiWire } from './wires/gemini/wire.ts'
import { pluginWire } from './wires/plugin/wire.ts'
import { recordedWire } from './wires/recorded/wire.ts'
import { responsesWire } from './wires/responses/wire.ts'

/** Wires by the name that `wire_api` selects. */
const wires = {
  responses: overHttp(responsesWire),
  anthropic: overHttp(anthropicWire),
  gemini: overHttp(geminiWire),
  chat: overHttp(chatWire),
  plugin: pluginWire,
  recorded: recordedWire,
} satisfies Record<WireName, Wire>

export function createModelClient(provider: ProviderConfig, ports: ClientPorts): ModelClient {
  return wires[provider.wireApi].createClient(provider, ports)
}

export interface LocalServer {
  readonly provider: ProviderConfig
  readonly models: readonly string[]
}

interface ProbeOptions {
  readonly candidates?: readonly ProviderConfig[]
  readonly timeoutMs?: number
}

/** Finds the local model servers that answer, in the order of the candidates. Sends no key and no configured header. */
export async function probeLocal(signal: AbortSignal, options: ProbeOptions = {}): Promise<readonly LocalServer[]> {
  const { candidates = builtinProviders({}).filter(isLocal), timeoutMs = 300 } = options
  const limits = { connectTimeoutMs: timeoutMs, listTimeoutMs: timeoutMs }
  const asked = candidates.map(async (provider) => {
    const listing = await createModelClient(provider, { env: {}, limits }).listModels(signal)
    return listing.type === 'models' ? [{ provider, models: listing.models }] : []
  })
  return (await Promise.all(asked)).flat()
}

function isLocal({ baseUrl }: Provider): boolean {
  return URL.canParse(baseUrl) && isLoopbackHost(new URL(baseUrl).hostname)
}
