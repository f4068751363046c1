import type { ModelClient, ModelEntry, ModelEvent, ModelRequest, ResponseEntry } from '../../src/port/model-client.ts'
import type { WriteRequest } from '../../src/port/wire.ts'
import { type ProviderConfig, providerDefaults } from '../../src/providers.ts'

export function requestOf(
  entries: readonly ModelEntry[] = [user('hello')],
  more: Partial<ModelRequest> = {},
): ModelRequest {
  return { model: 'm1', instructions: 'Be brief.', tools: [SHELL], entries, cacheKey: 'conversation-1', ...more }
}

/** Returns the writer of a wire with its bodies as text. */
export function textWriter(write: WriteRequest): (request: ModelRequest) => string {
  return (request) => Buffer.concat(write(request)).toString()
}

export const SHELL = {
  name: 'shell',
  description: 'Runs a command.',
  parameters: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
} as const

export function user(text: string): ModelEntry {
  return { kind: 'user', content: [{ type: 'text', text }] }
}

export function response(more: Partial<ResponseEntry> = {}): ResponseEntry {
  return { kind: 'response', adapter: 'none', parts: [], text: '', calls: [], ...more }
}

export function result(callId: string, text = 'done', isError = false): ModelEntry {
  return { kind: 'result', callId, text, isError }
}

export function providerAt(baseUrl: string, more: Partial<ProviderConfig> = {}): ProviderConfig {
  return { ...providerDefaults, id: 'test', name: 'Test provider', baseUrl, wireApi: 'responses', ...more }
}

export async function collect(
  client: Pick<ModelClient, 'stream'>,
  request: ModelRequest = requestOf(),
  signal: AbortSignal = new AbortController().signal,
): Promise<ModelEvent[]> {
  const events: ModelEvent[] = []
  for await (const event of client.stream(request, signal)) events.push(event)
  return events
}

export function textOf(events: readonly ModelEvent[]): string {
  return events.flatMap((event) => (event.type === 'textDelta' ? [event.text] : [])).join('')
}

/** The whole calls of a stream. */
export function callsOf(events: readonly ModelEvent[]) {
  return events.flatMap((event) => (event.type === 'call' ? [event] : []))
}

/** The failure that a stream ended with, or a thrown error that says how it ended instead. */
export function failureOf(events: readonly ModelEvent[]) {
  const last = events.at(-1)
  if (last?.type !== 'failed') throw new Error(`the stream did not fail but ended with ${JSON.stringify(last)}`)
  return last.failure
}
