import type { Files, OpenFile } from '../disk/files.ts'
import { MAX_LINE_BYTES } from '../line/check-line.ts'

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
export function* splitLines(files: Files, file: OpenFile, start: number): Generator<RawLine> {
  const { sizeBytes } = files.stat(file)
  let byteOffset = start
  let held = nothing()
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
      held = nothing()
    }
    hold(held, chunk.subarray(from))
    position += chunk.length
  }
  const endOffset = byteOffset + held.sizeBytes
  if (endOffset > byteOffset) yield { byteOffset, endOffset, bytes: joined(held, EMPTY), terminated: false }
}

/** Beginning of a line that continues in the next chunk; dropped once it is too long. */
interface Held {
  parts: Buffer[]
  sizeBytes: number
}

const EMPTY = Buffer.alloc(0)

function nothing(): Held {
  return { parts: [], sizeBytes: 0 }
}

function hold(held: Held, part: Buffer): void {
  held.sizeBytes += part.length
  if (held.sizeBytes > MAX_LINE_BYTES) held.parts = []
  else if (part.length > 0) held.parts.push(part)
}

function joined(held: Held, end: Buffer): Buffer | null {
  if (held.sizeBytes + end.length > MAX_LINE_BYTES) return null
  return held.parts.length === 0 ? end : Buffer.concat([...held.parts, end])
}

/** Reads into a new buffer each time, so that lines handed out are never overwritten. */
function readChunk(files: Files, file: OpenFile, span: { position: number; length: number }): Buffer {
  const buffer = Buffer.allocUnsafe(span.length)
  return buffer.subarray(0, files.read(file, buffer, span.position))
}
