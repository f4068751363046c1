import { readFileSync } from 'node:fs'
import { createBodyReader } from '../../src/exchange/body-reader.ts'
import { createExplain } from '../../src/failures/explain.ts'
import { defaultLimits } from '../../src/port/client-ports.ts'
import { isTerminal, type ModelEvent, type ModelRequest } from '../../src/port/model-client.ts'
import { type HttpWire, wireNameOf } from '../../src/port/wire.ts'
import { openaiApi } from '../../src/wires/openai-api.ts'
import { requestOf } from './requests.ts'

export const explain = createExplain({
  contextNow: () => ({ provider: 'Test provider', host: 'test:443', model: 'm1', nowMs: 0 }),
  readError: openaiApi.readError,
  secrets: [],
  idleMs: 1_000,
})

export function fixture(name: string): Buffer {
  return readFileSync(new URL(`../fixtures/${name}.sse`, import.meta.url))
}

/** The events of a stream that arrives in these pieces and then ends. */
export function readPieces(
  wire: HttpWire,
  pieces: readonly Uint8Array[],
  request: ModelRequest = requestOf(),
): readonly ModelEvent[] {
  const reader = wire.createReader(request, explain.wire)
  const body = createBodyReader({ reader, explain, limits: defaultLimits, wireName: wireNameOf(wire) })
  const events: ModelEvent[] = []
  for (const piece of pieces) {
    events.push(...body.read(piece).events)
    if (events.some(isTerminal)) return events
  }
  return [...events, ...body.end()]
}

export function readStream(wire: HttpWire, text: string, request?: ModelRequest): readonly ModelEvent[] {
  return readPieces(wire, [Buffer.from(text)], request)
}

/** Event of a stream, as the Chat Completions wire sends it. */
export function chatChunk(delta: object, finishReason: string | null = null): string {
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finishReason }] })}\n\n`
}

export function responsesEvent(type: string, more: object = {}): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`
}
