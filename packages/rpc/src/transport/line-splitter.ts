import { isUtf8 } from 'node:buffer'
import { type Unreadable, unreadable } from './transport.ts'

/** Text of one line without its line feed, or the reason why it has none. */
export type Line = string | Unreadable

interface LineSplitter {
  /** Returns the lines that the chunk completes, blank ones left out, and holds the bytes after the last line feed. */
  push(chunk: Buffer): Line[]
}

const lineFeed = 0x0a
const tooLong = unreadable('tooLong')
const notUtf8 = unreadable('notUtf8')

/**
 * Creates a splitter that cuts bytes into lines at LF only. For speed, all whole lines of a chunk are checked and
 * decoded at once; only if one of them is bad or too long are they decoded one by one.
 */
export function createLineSplitter(maxLineBytes: number): LineSplitter {
  const held = createByteBuffer()
  let skipping = false

  function push(chunk: Buffer): Line[] {
    const firstBreak = held.sizeBytes > 0 || skipping ? chunk.indexOf(lineFeed) : -1
    const lines = firstBreak < 0 ? [] : completeHeld(chunk.subarray(0, firstBreak))
    const lastBreak = chunk.lastIndexOf(lineFeed)
    if (lastBreak > firstBreak) {
      const whole = decodeWhole(chunk.subarray(firstBreak + 1, lastBreak), maxLineBytes)
      return [...lines, ...whole, ...hold(chunk.subarray(lastBreak + 1))]
    }
    return [...lines, ...hold(chunk.subarray(lastBreak + 1))]
  }

  function completeHeld(rest: Buffer): Line[] {
    if (skipping) {
      skipping = false
      return []
    }
    if (held.sizeBytes + rest.length > maxLineBytes) {
      held.clear()
      return [tooLong]
    }
    held.append(rest)
    return decodeOne(held.take(), maxLineBytes)
  }

  function hold(rest: Buffer): Line[] {
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
function decodeWhole(bytes: Buffer, maxLineBytes: number): Line[] {
  if (bytes.length <= maxLineBytes && isUtf8(bytes)) {
    return bytes.toString('utf8').split('\n').filter(isNotBlank)
  }
  const lines: Line[] = []
  let start = 0
  while (start <= bytes.length) {
    const found = bytes.indexOf(lineFeed, start)
    const end = found < 0 ? bytes.length : found
    lines.push(...decodeOne(bytes.subarray(start, end), maxLineBytes))
    start = end + 1
  }
  return lines
}

function decodeOne(bytes: Buffer, maxLineBytes: number): Line[] {
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
  /** Returns and removes all appended bytes. The result is valid until the next `append`. */
  take(): Buffer
  clear(): void
}

/**
 * Creates a buffer for an incomplete line, in blocks of one size. A list of chunks would cost a hundred times their
 * size when each has one byte; one growing buffer would leave twice the line's size behind as garbage.
 */
export function createByteBuffer(): ByteBuffer {
  let blocks: Buffer[] = []
  let sizeBytes = 0

  function append(bytes: Buffer): void {
    let taken = 0
    while (taken < bytes.length) {
      const used = sizeBytes % blockBytes
      const block = blockAt(Math.floor(sizeBytes / blockBytes))
      const copied = bytes.copy(block, used, taken)
      taken += copied
      sizeBytes += copied
    }
  }

  function blockAt(index: number): Buffer {
    const present = blocks[index]
    if (present !== undefined) return present
    const added = Buffer.allocUnsafeSlow(blockBytes)
    blocks.push(added)
    return added
  }

  function take(): Buffer {
    const [first] = blocks
    const oneBlock = first !== undefined && sizeBytes <= blockBytes
    const bytes = oneBlock ? first.subarray(0, sizeBytes) : Buffer.concat(blocks, sizeBytes)
    clear()
    return bytes
  }

  /** Removes all bytes and keeps one block for the next line. */
  function clear(): void {
    blocks = blocks.slice(0, 1)
    sizeBytes = 0
  }

  return {
    append,
    take,
    clear,
    get sizeBytes() {
      return sizeBytes
    },
  }
}
