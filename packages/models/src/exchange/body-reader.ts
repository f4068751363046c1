import { StringDecoder } from 'node:string_decoder'
import { createParser } from 'eventsource-parser'
import type { Explain } from '../failures/explain.ts'
import { isTerminal, type ModelEvent } from '../port/model-client.ts'
import type { ExchangeLimits, WireReader } from '../port/wire.ts'

interface BodyBatch {
  readonly events: readonly ModelEvent[]
  /** True when something whole has arrived; a trickle of bytes is no sign of life. */
  readonly alive: boolean
}

/** Reader that turns the bytes of one response into model events. Nothing follows a terminal event. */
export interface BodyReader {
  read(bytes: Uint8Array): BodyBatch
  /** Ends the body. A response that was complete stays so, however the connection ended. */
  end(): readonly ModelEvent[]
}

interface BodyReaderParts {
  readonly reader: WireReader
  readonly explain: Explain
  readonly limits: ExchangeLimits
}

/** Creates a reader for server-sent events. */
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

/** Creates a reader for one JSON object, the answer of servers that ignore `stream: true`. */
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

interface SseBatch {
  /** Data of each whole event, in order. Their names are not needed: every wire repeats them in the data. */
  readonly events: readonly string[]
  /** True when a whole event or a comment has arrived. */
  readonly alive: boolean
  /** True once an event is longer than the limit. */
  readonly oversized: boolean
}

interface SseReader {
  read(bytes: Uint8Array): SseBatch
  /** Returns the last event if it lacks its closing blank line; it may be cut. */
  end(): SseBatch
}

/** Creates a reader of server-sent events; chunks may be cut anywhere. */
function createSseReader(maxEventChars: number): SseReader {
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
