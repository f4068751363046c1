import { type ConversationId, eventVersion } from '@parley/protocol'
import { isRecord, parseJson } from '@parley/text'
import type { FileContents, OpenFile } from '../disk/files.ts'
import { isConversationId } from '../disk/session-paths.ts'
import { checksumState, withChecksum } from '../line/line.ts'
import { checkLine, splitLines } from '../line/read-lines.ts'

/** Format this program writes: the version of its events, and the highest `minReader` it may append to. */
export const LOG_FORMAT = eventVersion

export interface LogHeader {
  /** Version of the events up to a `conversation.upgraded`. */
  readonly format: number
  /** Lowest format of a program that may append. */
  readonly minReader: number
  readonly conversationId: ConversationId
  readonly forkedFrom?: ForkPoint
}

/** Last event copied from the other conversation. */
interface ForkPoint {
  readonly id: ConversationId
  readonly seq: number
  readonly crc: string
}

/** Search limit for the header: one crash leaves less damage than this before it. */
const HEADER_WITHIN_BYTES = 64 * 1024

const HEADER_KEYS: ReadonlySet<string> = new Set(['format', 'minReader', 'conversationId', 'forkedFrom'])

export function newHeader(conversationId: ConversationId): LogHeader {
  return { format: LOG_FORMAT, minReader: LOG_FORMAT, conversationId }
}

/** Makes the header of a log that begins with lines copied from `source`; null when the header of that is lost. */
export function forkHeader(conversationId: ConversationId, forkedFrom: ForkPoint, source: LogHeader | null): LogHeader {
  return { ...newHeader(conversationId), format: formatOf(source), forkedFrom }
}

/** Returns the version of the first events; 1 without a header, since `upgradeEvent` leaves newer events alone. */
export function formatOf(header: LogHeader | null): number {
  return header?.format ?? 1
}

export function encodeHeader({ format, minReader, conversationId, forkedFrom }: LogHeader): string {
  return withChecksum(JSON.stringify({ format, minReader, conversationId, forkedFrom })).text
}

/** Decodes a header that is intact, or that was edited by hand and has no checksum. Returns null otherwise. */
export function decodeHeader(line: Buffer): LogHeader | null {
  const state = checksumState(line)
  if (state === 'broken') return null
  const value = parseJson(line.toString())
  if (!isHeader(value)) return null
  if (state === 'absent' && !Object.keys(value).every((key) => HEADER_KEYS.has(key))) return null
  const { format, minReader, conversationId, forkedFrom } = value
  const header = { format, minReader, conversationId }
  return forkedFrom === undefined ? header : { ...header, forkedFrom }
}

/** Reads the header, searched for only before the first event. Returns null when it is lost. */
export function readHeader(files: FileContents, file: OpenFile): LogHeader | null {
  for (const { bytes, byteOffset } of splitLines(files, file, 0)) {
    if (byteOffset > HEADER_WITHIN_BYTES) return null
    const header = bytes === null ? null : decodeHeader(bytes)
    if (header !== null) return header
    if (bytes !== null && checkLine(bytes).state !== 'bad') return null
  }
  return null
}

/** Returns the byte offset behind the header; 0 when the first line is not a header. */
export function bodyStartOf(files: FileContents, file: OpenFile): number {
  for (const { bytes, endOffset, terminated } of splitLines(files, file, 0))
    return terminated && bytes !== null && decodeHeader(bytes) !== null ? endOffset : 0
  return 0
}

/**
 * Reserves the log for programs of this format, because earlier ones would run calls again. Overwrites the header in
 * place, at the same length; leaves an edited one.
 */
export function raiseMinReader(files: FileContents, file: OpenFile): void {
  const [line] = splitLines(files, file, 0)
  const header = line?.bytes == null ? null : decodeHeader(line.bytes)
  if (header === null || header.minReader >= LOG_FORMAT) return
  const raised = Buffer.from(encodeHeader({ ...header, minReader: LOG_FORMAT }))
  if (raised.length === line?.bytes?.length) files.overwrite(file, raised, line.byteOffset)
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
