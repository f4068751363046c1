import type { AccessLimits } from './access.ts'
import type { Explain } from './explain.ts'
import { isTerminal, type ModelEvent } from './port.ts'
import { createSseReader } from './sse.ts'
import type { WireReader } from './wire.ts'

export interface BodyBatch {
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

export interface BodyReaderParts {
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
