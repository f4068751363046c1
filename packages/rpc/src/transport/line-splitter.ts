import { isUtf8 } from 'node:buffer'
import { type Unreadable, unreadable } from './transport.ts'

/** Text of one line without its line feed, or the reason why it cannot be read. */
export type SplitLine = string | Unreadable

const lineFeed = 0x0a
const tooLong = unreadable('tooLong')
const notUtf8 = unreadable('notUtf8')

/** Creates a splitter of bytes at LF. Decodes the lines of a chunk at once; one by one where one is bad or too long. */
export function createLineSplitter(maxLineBytes: number) {
  const held = createByteBuffer(maxLineBytes)
  let skipping = false

  /** Returns the lines that the chunk completes, blank ones left out, and holds the bytes after the last line feed. */
  function push(chunk: Buffer): SplitLine[] {
    const firstBreak = held.sizeBytes > 0 || skipping ? chunk.indexOf(lineFeed) : -1
    const lines = firstBreak < 0 ? [] : completeHeld(chunk.subarray(0, firstBreak))
    const lastBreak = chunk.lastIndexOf(lineFeed)
    if (lastBreak > firstBreak) {
      const whole = decodeWhole(chunk.subarray(firstBreak + 1, lastBreak), maxLineBytes)
      return [...lines, ...whole, ...hold(chunk.subarray(lastBreak + 1))]
    }
    return [...lines, ...hold(chunk.subarray(lastBreak + 1))]
  }

  function completeHeld(rest: Buffer): SplitLine[] {
    if (skipping) {
      skipping = false
      return []
    }
    if (held.sizeBytes + rest.length > maxLineBytes) {
      held.clear()
      return [tooLong]
    }
    held.append(rest)
    const line = decodeOne(held.bytes(), maxLineBytes)
    held.clear()
    return line
  }

  function hold(rest: Buffer): SplitLine[] {
    if (skipping) return []
    if (held.sizeBytes + rest.length <= maxLineBytes) {
      held.append(rest)
      return []
    }
    held.clear()
    skipping = true
    return [tooLong]
  }

  return { push }
}

/** Decodes whole lines, given without the last line feed. LF is never part of a multi-byte character. */
function decodeWhole(bytes: Buffer, maxLineBytes: number): SplitLine[] {
  if (bytes.length <= maxLineBytes && isUtf8(bytes)) {
    return bytes.toString('utf8').split('\n').filter(isNotBlank)
  }
  const lines: SplitLine[] = []
  let start = 0
  while (start <= bytes.length) {
    const found = bytes.indexOf(lineFeed, start)
    const end = found < 0 ? bytes.length : found
    for (const line of decodeOne(bytes.subarray(start, end), maxLineBytes)) lines.push(line)
    start = end + 1
  }
  return lines
}

function decodeOne(bytes: Buffer, maxLineBytes: number): SplitLine[] {
  if (bytes.length > maxLineBytes) return [tooLong]
  if (!isUtf8(bytes)) return [notUtf8]
  return [bytes.toString('utf8')].filter(isNotBlank)
}

function isNotBlank(line: string): boolean {
  return line !== '' && line !== '\r'
}

const blockBytes = 64 * 1024

interface ByteBuffer {
  readonly sizeBytes: number
  append(bytes: Buffer): void
  /** Returns all appended bytes, which are valid until the next `append` or `clear`. */
  bytes(): Buffer
  /** Removes all bytes and gives the memory of a long line back at once, without waiting for a collection. */
  clear(): void
}

/**
 * Creates a buffer for an incomplete line of at most `maxBytes`. It grows where it stands: a list of chunks would have
 * to be copied into one, and would cost a hundred times its size when each has one byte.
 */
export function createByteBuffer(maxBytes: number): ByteBuffer {
  const block = Buffer.allocUnsafeSlow(Math.min(blockBytes, maxBytes))
  let long: ArrayBuffer | null = null
  let sizeBytes = 0

  /** Returns the bytes appended so far, with room for more behind them. */
  function grown(neededBytes: number): Buffer {
    if (long === null && neededBytes <= block.length) return block
    if (long === null) {
      long = new ArrayBuffer(0, { maxByteLength: maxBytes })
      long.resize(neededBytes)
      block.copy(Buffer.from(long), 0, 0, sizeBytes)
    } else if (long.byteLength < neededBytes) {
      long.resize(Math.min(maxBytes, Math.ceil(neededBytes / blockBytes) * blockBytes))
    }
    return Buffer.from(long)
  }

  return {
    append(bytes) {
      if (bytes.length === 0) return
      bytes.copy(grown(sizeBytes + bytes.length), sizeBytes)
      sizeBytes += bytes.length
    },
    bytes: () => (long === null ? block : Buffer.from(long)).subarray(0, sizeBytes),
    clear() {
      long?.resize(0)
      long = null
      sizeBytes = 0
    },
    get sizeBytes() {
      return sizeBytes
    },
  }
}
