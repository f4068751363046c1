import type { AccessLimits } from './endpoint.ts'
import type { Explain } from '../failures/explain.ts'
import { isTerminal, type ModelEvent } from '../port/model-client.ts'
import type { WireReader } from '../wires/wire.ts'
import { StringDecoder } from 'node:string_decoder'
import { createParser } from 'eventsource-parser'

interface BodyBatch {
  readonly events: readonly ModelEvent[]
  /** Whether the provider shows life, or merely trickles. */
  readonly alive: boolean
}

/** The bytes of one response to model events. Nothing follows a terminal event. */
export interface BodyReader {
  read(bytes: Uint8Array): BodyBatch
  /** No more bytes will come. What came before counts: a response that was complete stays so, however it ended. */
  end(): readonly ModelEvent[]
}

interface BodyReaderParts {
  readonly reader: WireReader
  readonly explain: Explain
  readonly limits: AccessLimits
}

export function createStreamedBodyReader({ reader, explain, limits }: BodyReaderParts): BodyReader {
  const sse = createSseReader(limits.maxEventChars)
  let receivedBytes = 0
  return {
    read(bytes) {
      receivedBytes += bytes.length
      if (receivedBytes > limits.maxResponseBytes) return tooLarge(explain, 'responseTooLarge')
      const { events, alive, oversized } = sse.read(bytes)
      const out: ModelEvent[] = []
      for (const data of events) reader.read(data, out)
      return oversized && !out.some(isTerminal) ? tooLarge(explain, 'oversizedEvent') : { events: out, alive }
    },
    end() {
      const out: ModelEvent[] = []
      // The last event may lack its closing blank line, or be cut in two.
      for (const data of sse.end().events) if (isWhole(data)) reader.read(data, out)
      if (!out.some(isTerminal)) reader.end(out)
      return out
    },
  }
}

/** For servers that ignore `stream: true` and answer with one JSON object. */
export function createWholeBodyReader({ reader, explain, limits }: BodyReaderParts): BodyReader {
  const chunks: Uint8Array[] = []
  let receivedBytes = 0
  return {
    read(bytes) {
      chunks.push(bytes)
      receivedBytes += bytes.length
      return receivedBytes > limits.maxEventChars ? tooLarge(explain, 'responseTooLarge') : { events: [], alive: true }
    },
    end() {
      const out: ModelEvent[] = []
      const text = Buffer.concat(chunks).toString('utf8')
      if (isWhole(text)) reader.read(text, out)
      if (!out.some(isTerminal)) reader.end(out)
      return out
    },
  }
}

function tooLarge(explain: Explain, code: 'oversizedEvent' | 'responseTooLarge'): BodyBatch {
  return { events: [{ type: 'failed', failure: explain.tooLarge(code) }], alive: true }
}

function isWhole(data: string): boolean {
  if (data.trim() === '[DONE]') return true
  try {
    JSON.parse(data)
    return true
  } catch {
    return false
  }
}

/** One event larger than this is refused: nothing a model sends in one piece comes near it. */
const MAX_EVENT_CHARS = 32 * 1024 * 1024

interface SseBatch {
  /** The data of each whole event, in order. Event names are not needed: every wire repeats them in the data. */
  readonly events: readonly string[]
  /** A whole event or a comment came in; a trickle of bytes that never ends a line is no sign of life. */
  readonly alive: boolean
  readonly oversized: boolean
}

interface SseReader {
  read(bytes: Uint8Array): SseBatch
  /** The event that the stream left without its closing blank line, if any: whole or cut, the caller cannot know. */
  end(): SseBatch
}

/** Bytes to the data of server-sent events, whatever the cuts between chunks. */
function createSseReader(maxEventChars: number = MAX_EVENT_CHARS): SseReader {
  const decoder = new StringDecoder('utf8')
  let events: string[] = []
  let alive = false
  let oversized = false
  const parser = createParser({
    maxBufferSize: maxEventChars,
    onEvent: (event) => {
      events.push(event.data)
    },
    onComment: () => {
      alive = true
    },
    onError: (error) => {
      oversized ||= error.type === 'max-buffer-size-exceeded'
    },
  })
  const feed = (text: string): SseBatch => {
    events = []
    alive = false
    if (!oversized) parser.feed(text)
    return { events, alive: alive || events.length > 0, oversized }
  }
  return {
    read: (bytes) => feed(decoder.write(Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes))),
    end: () => feed(`${decoder.end()}\n\n`),
  }
}
