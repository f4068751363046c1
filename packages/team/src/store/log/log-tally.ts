import { createHash } from 'node:crypto'
import { checkLine, decodeHeader } from '@parley/journal'

/** Count of a log that is read piece by piece. */
export interface LogTally {
  add(bytes: Buffer): void
  readonly bytes: number
  readonly lines: number
  /** Lines with a wrong checksum. */
  readonly damagedLines: number
  /** SHA-256 of all bytes so far, in hex; nothing is added afterwards. */
  hash(): string
}

const LF = 0x0a

export function tallyLog(): LogTally {
  const hash = createHash('sha256')
  let rest: Buffer[] = []
  let bytes = 0
  let lines = 0
  let damagedLines = 0

  function endLine(end: Buffer): void {
    const line = rest.length === 0 ? end : Buffer.concat([...rest, end])
    rest = []
    lines++
    const isDamaged = checkLine(line).state === 'bad' && (lines > 1 || decodeHeader(line) === null)
    if (isDamaged) damagedLines++
  }

  return {
    add(piece) {
      hash.update(piece)
      bytes += piece.length
      let from = 0
      for (let at = piece.indexOf(LF); at !== -1; at = piece.indexOf(LF, from)) {
        endLine(piece.subarray(from, at))
        from = at + 1
      }
      if (from < piece.length) rest.push(piece.subarray(from))
    },
    get bytes() {
      return bytes
    },
    get lines() {
      return lines
    },
    get damagedLines() {
      return damagedLines
    },
    hash: () => hash.digest('hex'),
  }
}

/** Counts the lines that end within some bytes. */
export function linesIn(bytes: Buffer): number {
  let lines = 0
  for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) lines++
  return lines
}
