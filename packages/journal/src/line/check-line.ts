import { checkSeal, seal } from './checksum.ts'

/** An event as the log sees it: opaque but for its type. */
export interface LoggedEnvelope {
  readonly seq: number
  /** Wall clock, ms since the epoch; a label, never an order. */
  readonly at: number
  readonly event: { readonly type: string } & Readonly<Record<string, unknown>>
}

/** `unchecked`: edited by hand, the checksum taken out. `seqHint`: what a damaged line claims to be. */
export type LineCheck =
  | { readonly state: 'sound' | 'unchecked'; readonly seq: number; readonly type: string }
  | { readonly state: 'bad'; readonly reason: 'checksum' | 'syntax'; readonly seqHint: number | null }

/** One line without its LF. `type` should be the event's first key: readers skip by it without parsing. */
export function encodeLine<Event extends { readonly type: string }>(envelope: {
  readonly seq: number
  readonly at: number
  readonly event: Event
}): string {
  const { seq, at, event } = envelope
  return seal(JSON.stringify({ seq, at, event }))
}

/** Null when the text is no envelope; a line that `checkLine` found sound always is one unless it was forged. */
export function decodeLine(text: string): LoggedEnvelope | null {
  const value = parseJson(text)
  return isEnvelope(value) ? value : null
}

export function checkLine(line: Buffer): LineCheck {
  switch (checkSeal(line)) {
    case 'intact':
      return checkSealed(line)
    case 'broken':
      return { state: 'bad', reason: 'checksum', seqHint: seqHint(line) }
    case 'absent':
      return checkUnsealed(line)
  }
}

const PREFIX_BYTES = 128
const PREFIX = /^\{"seq":(\d{1,15}),"at":-?\d[\d.eE+-]*,"event":\{"type":"([\w./-]+)"/
const SEQ = /^\{"seq":(\d{1,15}),/

/** Seq and type from the first bytes alone, unverified. Null when the line is not in the form `encodeLine` writes. */
export function readPrefix(line: Buffer): { readonly seq: number; readonly type: string } | null {
  const found = PREFIX.exec(line.toString('latin1', 0, PREFIX_BYTES))
  const type = found?.[2]
  return type === undefined ? null : { seq: Number(found?.[1]), type }
}

function checkSealed(line: Buffer): LineCheck {
  const prefix = readPrefix(line)
  if (prefix !== null && prefix.seq > 0) return { state: 'sound', ...prefix }
  const envelope = decodeLine(line.toString())
  if (envelope === null) return { state: 'bad', reason: 'syntax', seqHint: seqHint(line) }
  return { state: 'sound', seq: envelope.seq, type: envelope.event.type }
}

/**
 * Only a line without any trace of a checksum counts as edited by hand: exactly the three keys. A damaged `"crc"` key
 * leaves either no JSON or a fourth key, so no flipped bit can pass for an edit.
 */
function checkUnsealed(line: Buffer): LineCheck {
  const envelope = decodeLine(line.toString())
  if (envelope === null || Object.keys(envelope).length !== 3) {
    return { state: 'bad', reason: 'syntax', seqHint: seqHint(line) }
  }
  return { state: 'unchecked', seq: envelope.seq, type: envelope.event.type }
}

function seqHint(line: Buffer): number | null {
  const found = SEQ.exec(line.toString('latin1', 0, PREFIX_BYTES))
  return found === null ? null : Number(found[1])
}

function isEnvelope(value: unknown): value is LoggedEnvelope {
  if (!isRecord(value)) return false
  const { seq, at, event } = value
  return isSeq(seq) && typeof at === 'number' && isRecord(event) && typeof event['type'] === 'string'
}

function isSeq(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Undefined when the text is no JSON, which JSON itself cannot say. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
