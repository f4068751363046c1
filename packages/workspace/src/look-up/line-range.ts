import { clipAtCharacter } from './display-text.ts'

export interface RangeLimits {
  /** Counted from 1. */
  readonly firstLine: number
  readonly maxLines: number
  /** Limit for all lines together; the first line is taken at any size. */
  readonly maxTextBytes: number
  readonly maxLineChars: number
  /** Redacts the start of a cut line, which may end within a secret. */
  readonly redactCutLine?: ((text: string) => string) | undefined
}

export interface RangeLine {
  readonly number: number
  readonly text: string
  /** Number of bytes cut from the end of the line. */
  readonly omittedBytes: number
  /** True when some bytes were not UTF-8 and became U+FFFD. */
  readonly lossy: boolean
  readonly crlf: boolean
}

export interface LineRange {
  readonly lines: readonly RangeLine[]
  /** Number of lines scanned, including a last one without newline. */
  readonly seenLines: number
}

interface RawLine {
  readonly bytes: Buffer
  /** Size of the whole line; larger than `bytes` when the line was clipped. */
  readonly sizeBytes: number
  readonly crlf: boolean
}

const newline = 0x0a
const carriageReturn = 0x0d

/** Extracts a range of lines from a file's bytes pushed in chunks. Memory holds the range and one clipped line. */
export function scanLineRange(limits: RangeLimits) {
  const lines: RangeLine[] = []
  const line = gatherLine(limits.maxLineChars * 4)
  let number = 1
  let textBytes = 0
  let full = limits.maxLines <= 0

  function endLine(ended: boolean): void {
    const raw = line.close(ended)
    if (!full && number >= limits.firstLine) take(readableLine(number, raw, limits))
    number += 1
  }

  function take(taken: RangeLine): void {
    textBytes += Buffer.byteLength(taken.text)
    const fits = textBytes <= limits.maxTextBytes || lines.length === 0
    if (fits) lines.push(taken)
    full = !fits || lines.length >= limits.maxLines || textBytes >= limits.maxTextBytes
  }

  return {
    /** Returns true when the range is complete. */
    push(chunk: Uint8Array): boolean {
      let start = 0
      for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
        line.extend(chunk.subarray(start, end))
        endLine(true)
        start = end + 1
      }
      line.extend(chunk.subarray(start))
      return full
    },
    finish(): LineRange {
      if (!line.isEmpty()) endLine(false)
      return { lines, seenLines: number - 1 }
    },
  }
}

/** Collects one line at a time, at most `keptBytes` of it. */
function gatherLine(keptBytes: number) {
  let kept: Uint8Array[] = []
  let sizeBytes = 0
  let lastByte = 0
  return {
    isEmpty: () => sizeBytes === 0,
    extend(piece: Uint8Array): void {
      const room = keptBytes - sizeBytes
      // Copied, because the reader reuses its buffer.
      if (room > 0) kept.push(Uint8Array.from(piece.subarray(0, room)))
      sizeBytes += piece.length
      lastByte = piece.at(-1) ?? lastByte
    },
    close(ended: boolean): RawLine {
      const crlf = ended && sizeBytes > 0 && lastByte === carriageReturn
      const length = crlf ? sizeBytes - 1 : sizeBytes
      const raw = { bytes: Buffer.concat(kept).subarray(0, length), sizeBytes: length, crlf }
      kept = []
      sizeBytes = 0
      return raw
    },
  }
}

function readableLine(
  number: number,
  raw: RawLine,
  { maxLineChars, redactCutLine: beginning }: RangeLimits,
): RangeLine {
  const whole = raw.bytes.toString('utf8')
  const text = clipAtCharacter(whole, maxLineChars)
  const encoded = Buffer.from(text)
  const clipped = text.length < whole.length || raw.bytes.length < raw.sizeBytes
  return {
    number,
    text: clipped && beginning !== undefined ? beginning(text) : text,
    omittedBytes: clipped ? Math.max(1, raw.sizeBytes - encoded.length) : 0,
    lossy: !encoded.equals(raw.bytes.subarray(0, encoded.length)),
    crlf: raw.crlf,
  }
}
