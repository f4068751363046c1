import { parseJson } from '@parley/text'
import type { Explain } from '../failures/explain.ts'
import type { ExchangeLimits } from '../port/client-ports.ts'
import { isTerminal, type ModelEvent } from '../port/model-client.ts'
import type { WireReader } from '../port/wire.ts'
import { isCutLine, shapeOf } from './answer-shape.ts'
import { createSseReader } from './sse-reader.ts'

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
  /** Name of the wire, as in `wire_api`. */
  readonly wireName: string
}

/**
 * Creates a reader for server-sent events or for one JSON text. The first character of the body decides, because
 * servers send either with the content type of the other.
 */
export function createBodyReader(parts: BodyReaderParts): BodyReader {
  let reader: BodyReader | undefined
  return {
    read(bytes) {
      const first = reader === undefined ? firstCharacter(bytes) : ''
      if (first !== '') reader = /[{[]/.test(first) ? createWholeBodyReader(parts) : createStreamedBodyReader(parts)
      return reader?.read(bytes) ?? { events: [], alive: false }
    },
    end: () => (reader ?? createStreamedBodyReader(parts)).end(),
  }
}

/** Returns the first byte after white space and a byte order mark, as a character; an empty text without one. */
function firstCharacter(bytes: Uint8Array): string {
  const first = bytes.find((byte) => byte > 0x20 && ![0xef, 0xbb, 0xbf].includes(byte))
  return first === undefined ? '' : String.fromCharCode(first)
}

/** Creates a reader for server-sent events. */
export function createStreamedBodyReader({ reader, explain, limits, wireName }: BodyReaderParts): BodyReader {
  const sse = createSseReader(limits.maxEventChars)
  const checked = createShapeCheck({ reader, explain, wireName })
  let receivedBytes = 0
  return {
    read(bytes) {
      receivedBytes += bytes.length
      if (receivedBytes > limits.maxResponseBytes) return tooLarge(explain, 'responseTooLarge')
      const { events, alive, oversized } = sse.read(bytes)
      const out: ModelEvent[] = []
      for (const data of events) checked.read(data, out)
      return oversized && !out.some(isTerminal) ? tooLarge(explain, 'oversizedEvent') : { events: out, alive }
    },
    end() {
      const out: ModelEvent[] = []
      // The last event may lack its closing blank line, or be cut in two.
      for (const data of sse.end().events) if (isWhole(data)) checked.read(data, out)
      const stray = sse.strayText()
      // Some gateways put a plain JSON body, often an error, where the stream should be.
      if (isWhole(stray) && !out.some(isTerminal)) checked.read(stray, out)
      if (!out.some(isTerminal)) checked.end(out, stray !== '' && !isCutLine(stray))
      return out
    },
  }
}

/** Creates a reader for one JSON text, an object or a list of events: some servers ignore `stream: true`. */
function createWholeBodyReader({ reader, explain, limits, wireName }: BodyReaderParts): BodyReader {
  const checked = createShapeCheck({ reader, explain, wireName })
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
      const text = Buffer.concat(chunks)
        .toString('utf8')
        .trim()
        .replace(/^\uFEFF/, '')
      for (const data of eventsIn(text)) checked.read(data, out)
      if (!out.some(isTerminal)) checked.end(out, isWhole(text))
      return out
    },
  }
}

/** Returns the elements of a JSON list, or another JSON text as one event. Text that is cut has no events. */
function eventsIn(text: string): readonly string[] {
  if (!isWhole(text)) return []
  const value: unknown = JSON.parse(text)
  return Array.isArray(value) ? value.map((event) => JSON.stringify(event)) : [text]
}

/** Reader that ends an answer which is not of its wire, once that is certain. */
interface ShapeCheck {
  read(data: string, out: ModelEvent[]): void
  /** Ends the stream; `hasOther` is true when something came that was no event. */
  end(out: ModelEvent[], hasOther: boolean): void
}

/** Creates a reader that tells an answer of another wire, or of no model at all, from one that was cut. */
function createShapeCheck({ reader, explain, wireName }: Omit<BodyReaderParts, 'limits'>): ShapeCheck {
  let isOwn = false
  let isOver = false
  let hasData = false
  return {
    read(data, out) {
      if (isOver) return
      const shape = isOwn ? wireName : shapeOf(data)
      isOwn = shape === wireName
      hasData = true
      if (isOwn || shape === undefined) reader.read(data, out)
      else out.push({ type: 'failed', failure: explain.otherAnswer(wireName, shape) })
      isOver = out.some(isTerminal)
    },
    end(out, hasOther) {
      if (isOver) return
      if (!isOwn && (hasData || hasOther)) out.push({ type: 'failed', failure: explain.otherAnswer(wireName) })
      else reader.end(out)
    },
  }
}

function tooLarge(explain: Explain, code: 'oversizedEvent' | 'responseTooLarge'): BodyBatch {
  return { events: [{ type: 'failed', failure: explain.tooLarge(code) }], alive: true }
}

function isWhole(data: string): boolean {
  return data.trim() === '[DONE]' || parseJson(data) !== undefined
}
