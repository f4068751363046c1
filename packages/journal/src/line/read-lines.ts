import { limits } from '@parley/protocol'
import type { FileContents, OpenFile } from '../disk/files.ts'
import { checksumState, decodeLine } from './line.ts'

/** Size of the first read, small as many callers want a line or two; further reads are larger. */
const FIRST_CHUNK_BYTES = 16 * 1024
const MAX_CHUNK_BYTES = 256 * 1024
const LF = 0x0a

export interface RawLine {
  readonly byteOffset: number
  /** Byte offset after the LF. */
  readonly endOffset: number
  /** Bytes without the LF; null when over `MAX_LINE_BYTES`. They keep their whole chunk in memory. */
  readonly bytes: Buffer | null
  /** False only for the piece after the last LF, if there is one. */
  readonly terminated: boolean
}

/**
 * Reads every line from `start`, the beginning of one, up to the file's present size. A line over `MAX_LINE_BYTES` has
 * no bytes, so that no file decides how much memory is used.
 */
export function* splitLines(files: FileContents, file: OpenFile, start: number): Generator<RawLine> {
  const { sizeBytes } = files.stat(file)
  let byteOffset = start
  let held = emptyPartialLine()
  let chunkBytes = FIRST_CHUNK_BYTES
  for (let position = start; position < sizeBytes; ) {
    const chunk = readChunk(files, file, { position, length: Math.min(chunkBytes, sizeBytes - position) })
    if (chunk.length === 0) break
    chunkBytes = Math.min(chunkBytes * 4, MAX_CHUNK_BYTES)
    let from = 0
    for (let lf = chunk.indexOf(LF); lf !== -1; lf = chunk.indexOf(LF, from)) {
      const endOffset = position + lf + 1
      yield { byteOffset, endOffset, bytes: joined(held, chunk.subarray(from, lf)), terminated: true }
      byteOffset = endOffset
      from = lf + 1
      held = emptyPartialLine()
    }
    hold(held, chunk.subarray(from))
    position += chunk.length
  }
  const endOffset = byteOffset + held.sizeBytes
  if (endOffset > byteOffset) yield { byteOffset, endOffset, bytes: joined(held, EMPTY), terminated: false }
}

/** Beginning of a line that continues in the next chunk; dropped once it is too long. */
interface PartialLine {
  pieces: Buffer[]
  sizeBytes: number
}

const EMPTY = Buffer.alloc(0)

function emptyPartialLine(): PartialLine {
  return { pieces: [], sizeBytes: 0 }
}

function hold(held: PartialLine, piece: Buffer): void {
  held.sizeBytes += piece.length
  if (held.sizeBytes > MAX_LINE_BYTES) held.pieces = []
  else if (piece.length > 0) held.pieces.push(piece)
}

function joined(held: PartialLine, end: Buffer): Buffer | null {
  if (held.sizeBytes + end.length > MAX_LINE_BYTES) return null
  return held.pieces.length === 0 ? end : Buffer.concat([...held.pieces, end])
}

/** Reads into a new buffer each time, so that lines handed out are never overwritten. */
function readChunk(files: FileContents, file: OpenFile, span: { position: number; length: number }): Buffer {
  const buffer = Buffer.allocUnsafe(span.length)
  return buffer.subarray(0, files.read(file, buffer, span.position))
}

/** Bytes of the longest line that is read: logs of earlier versions may have longer ones than are written now. */
export const MAX_LINE_BYTES = limits.readLine

/** `unchecked`: edited by hand, the checksum taken out. `seqHint`: number a damaged line gives itself, unverified. */
type LineCheck =
  | { readonly state: 'sound' | 'unchecked'; readonly seq: number; readonly type: string }
  | { readonly state: 'bad'; readonly reason: 'checksum' | 'syntax'; readonly seqHint: number | null }

/** Verifies a line by its checksum; without one, by its form. */
export function checkLine(line: Buffer): LineCheck {
  switch (checksumState(line)) {
    case 'intact':
      return checkIntact(line)
    case 'broken':
      return { state: 'bad', reason: 'checksum', seqHint: seqHint(line) }
    case 'absent':
      return checkEdited(line)
  }
}

const PREFIX_BYTES = 128
const PREFIX = /^\{"seq":(\d{1,15}),"at":-?\d[\d.eE+-]*,"event":\{"type":"([\w./-]+)"/
const SEQ = /^\{"seq":(\d{1,15}),/

/** Reads seq and type from the first bytes, unverified. Returns null for another form than `encodeLine` writes. */
export function readPrefix(line: Buffer): { readonly seq: number; readonly type: string } | null {
  const found = PREFIX.exec(line.toString('latin1', 0, PREFIX_BYTES))
  const type = found?.[2]
  return type === undefined ? null : { seq: Number(found?.[1]), type }
}

function checkIntact(line: Buffer): LineCheck {
  const prefix = readPrefix(line)
  if (prefix !== null && prefix.seq > 0) return { state: 'sound', ...prefix }
  const envelope = decodeLine(line.toString())
  if (envelope === null) return { state: 'bad', reason: 'syntax', seqHint: seqHint(line) }
  return { state: 'sound', seq: envelope.seq, type: envelope.event.type }
}

/**
 * Accepts a line as edited by hand only when it has exactly the three keys. A damaged `"crc"` key leaves either no JSON
 * or a fourth key, so no flipped bit passes for an edit.
 */
function checkEdited(line: Buffer): LineCheck {
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
