import { isRecord, parseJson } from './line.ts'
import { checkSeal, seal } from './seal.ts'
import { isConversationId } from './session-paths.ts'

/** The format this program writes, and the highest `minReader` it may append to. */
export const LOG_FORMAT = 1

export interface LogHeader {
  readonly format: number
  /** A program whose format is lower may only read. */
  readonly minReader: number
  readonly conversationId: string
  readonly forkedFrom?: ForkPoint
}

/** The last event taken over from the other conversation. */
export interface ForkPoint {
  readonly id: string
  readonly seq: number
  readonly crc: string
}

const HEADER_KEYS: ReadonlySet<string> = new Set(['format', 'minReader', 'conversationId', 'forkedFrom'])

export function newHeader(conversationId: string, forkedFrom?: ForkPoint): LogHeader {
  const header = { format: LOG_FORMAT, minReader: LOG_FORMAT, conversationId }
  return forkedFrom === undefined ? header : { ...header, forkedFrom }
}

export function encodeHeader({ format, minReader, conversationId, forkedFrom }: LogHeader): string {
  return seal(JSON.stringify({ format, minReader, conversationId, forkedFrom }))
}

/** Null for anything but a header that is whole, or that was edited by hand and shows no trace of a checksum. */
export function decodeHeader(line: Buffer): LogHeader | null {
  const state = checkSeal(line)
  if (state === 'broken') return null
  const value = parseJson(line.toString())
  if (!isHeader(value)) return null
  if (state === 'absent' && !Object.keys(value).every((key) => HEADER_KEYS.has(key))) return null
  const { format, minReader, conversationId, forkedFrom } = value
  const header = { format, minReader, conversationId }
  return forkedFrom === undefined ? header : { ...header, forkedFrom }
}

function isHeader(value: unknown): value is LogHeader {
  if (!isRecord(value)) return false
  const { format, minReader, conversationId, forkedFrom } = value
  const isNumbered = Number.isSafeInteger(format) && Number.isSafeInteger(minReader)
  const isNamed = typeof conversationId === 'string' && isConversationId(conversationId)
  return isNumbered && isNamed && (forkedFrom === undefined || isForkPoint(forkedFrom))
}

function isForkPoint(value: unknown): value is ForkPoint {
  if (!isRecord(value)) return false
  return typeof value['id'] === 'string' && Number.isSafeInteger(value['seq']) && typeof value['crc'] === 'string'
}
