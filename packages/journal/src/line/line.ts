import { crc32 } from 'node:zlib'
import { type ConversationId, limits } from '@parley/protocol'
import { isRecord, parseJson } from '@parley/text'

/** An event as the log handles it: opaque but for its type. */
export interface LoggedEnvelope {
  readonly seq: number
  /** Wall clock, ms since the epoch; a label, never an order. */
  readonly at: number
  readonly event: { readonly type: string } & Readonly<Record<string, unknown>>
}

/** An event as a line: the text the log stores, and the text that clients get. */
export interface Line {
  readonly seq: number
  readonly type: string
  /** Checksum at the end of `text`; null when the line was edited by hand and lacks it. */
  readonly crc: string | null
  /** JSON without its LF. */
  readonly text: string
  /** The same text, except for `elidedType`: only its turn, with the same number and checksum. */
  readonly elidedText: string
}

/** Clients do not get the content of these events, which is in the provider's own form. */
const elidedType = 'model.responded'

/** Bytes of the longest line that is written, its LF not counted. */
export const MAX_WRITTEN_LINE_BYTES = limits.logLine

/** Rejects a line that its readers would not take. Nothing was written; the same line is rejected every time. */
export class LineTooLongError extends Error {
  override readonly name = 'LineTooLongError'
  readonly sizeBytes: number

  constructor(sizeBytes: number) {
    super(`a line of ${sizeBytes} bytes; ${MAX_WRITTEN_LINE_BYTES} can be read back`)
    this.sizeBytes = sizeBytes
  }
}

/** Encodes an event. `type` should be the event's first key: readers skip lines by it without parsing them. */
export function encodeLine<Event extends { readonly type: string }>(envelope: {
  readonly seq: number
  readonly at: number
  readonly event: Event
}): Line {
  const { seq, at, event } = envelope
  const { type } = event
  const { text, crc } = withChecksum(JSON.stringify({ seq, at, event }))
  return { seq, type, crc, text, elidedText: type === elidedType ? elidedTextOf(envelope, crc) : text }
}

/** Makes a line of an event that was translated after reading: it keeps the checksum of the text in the log. */
export function translatedLine({ seq, at, event }: LoggedEnvelope, crc: string | null): Line {
  const { type } = event
  const text = JSON.stringify({ seq, at, event, ...(crc === null ? {} : { crc }) })
  return { seq, type, crc, text, elidedText: type === elidedType ? elidedTextOf({ seq, at, event }, crc) : text }
}

/** Makes a line of a text that was read from the log. */
export function storedLine({ seq, type, crc, text }: Omit<Line, 'elidedText'>): Line {
  const envelope = type === elidedType ? decodeLine(text) : null
  return { seq, type, crc, text, elidedText: envelope === null ? text : elidedTextOf(envelope, crc) }
}

/** Decodes a line. Returns null for a text that is no envelope; a sound line is one unless it was forged. */
export function decodeLine(text: string): LoggedEnvelope | null {
  const value = parseJson(text)
  return isEnvelope(value) ? value : null
}

/** Returns the bytes of a line as it is written. Throws `LineTooLongError`. */
export function writtenBytes(text: string): number {
  const sizeBytes = Buffer.byteLength(text)
  if (sizeBytes > MAX_WRITTEN_LINE_BYTES) throw new LineTooLongError(sizeBytes)
  return sizeBytes
}

/** Adds the conversation to the text of a line, as its first key, so that an event is serialised once. */
export function envelopeText(conversationId: ConversationId, text: string): string {
  return `{"conversationId":${JSON.stringify(conversationId)},${text.slice(1)}`
}

function elidedTextOf(
  { seq, at, event }: { readonly seq: number; readonly at: number; readonly event: { readonly type: string } },
  crc: string | null,
): string {
  const turnId = 'turnId' in event ? event.turnId : undefined
  const elided = { type: event.type, turnId, elided: true }
  return JSON.stringify({ seq, at, event: elided, ...(crc === null ? {} : { crc }) })
}

function isEnvelope(value: unknown): value is LoggedEnvelope {
  if (!isRecord(value)) return false
  const { seq, at, event } = value
  return isSeq(seq) && typeof at === 'number' && isRecord(event) && typeof event['type'] === 'string'
}

function isSeq(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0
}

/** `,"crc":"` + 8 hex digits + `"}`: the last bytes of every line parley writes. */
const KEY = ',"crc":"'
const END = '"}'
const SUFFIX_BYTES = KEY.length + 8 + END.length
const SUFFIX = /^,"crc":"([0-9a-f]{8})"\}$/

/** Adds the CRC-32 of a JSON object's text, eight hex digits, to the object as its last key. */
export function withChecksum(json: string): { readonly text: string; readonly crc: string } {
  const body = json.slice(0, -1)
  const crc = hex(crc32(body))
  return { text: `${body}${KEY}${crc}${END}`, crc }
}

/** Compares a line with the checksum at its end. `absent`: the line does not end in one. */
export function checksumState(line: Buffer): 'intact' | 'broken' | 'absent' {
  const found = SUFFIX.exec(lastBytes(line))
  if (found === null) return 'absent'
  return found[1] === hex(crc32(line.subarray(0, -SUFFIX_BYTES))) ? 'intact' : 'broken'
}

/** Returns the checksum at the end of a line. For a line without one, edited by hand, it is computed. */
export function checksumOf(line: Buffer): string {
  return SUFFIX.exec(lastBytes(line))?.[1] ?? hex(crc32(line.subarray(0, -1)))
}

function lastBytes(line: Buffer): string {
  return line.toString('latin1', Math.max(0, line.length - SUFFIX_BYTES))
}

function hex(crc: number): string {
  return crc.toString(16).padStart(8, '0')
}
