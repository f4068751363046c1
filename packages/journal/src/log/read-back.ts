import type { FileContents, OpenFile } from '../disk/files.ts'
import { checkLine, type RawLine, readPrefix, splitLines } from '../line/read-lines.ts'
import { type LogLine, nextLineStart, readLog, seekAfter, toLogLine } from './read-log.ts'

/** Bytes of a log that are read at a time, from its end; more only where a line is longer. */
const WINDOW_BYTES = 1024 * 1024

interface BackwardRead {
  /** Only lines with a lower seq; null for all. */
  readonly before: number | null
  /** Types of the lines; null for all. Others are left out by their first bytes, unverified. */
  readonly types: ReadonlySet<string> | null
}

/**
 * Reads good lines from the newest to the oldest, a window of the file at each step; the caller lets others work in
 * between. Where numbers go back, these are the lines that `readLog` reads, as far as windows show.
 */
export function* readBack(
  files: FileContents,
  file: OpenFile,
  { before, types }: BackwardRead,
): Generator<readonly LogLine[]> {
  let lowest = before ?? Infinity
  for (let end = endBefore(files, file, before); end > 0; ) {
    const start = windowStart(files, file, end)
    const found: LogLine[] = []
    for (const raw of splitLines(files, file, start)) {
      if (raw.byteOffset >= end) break
      const line = lineOfType(raw, types)
      if (line === null || line.seq >= lowest) continue
      if (line.seq > (found.at(-1)?.seq ?? 0)) found.push(line)
    }
    lowest = found[0]?.seq ?? lowest
    yield found.reverse()
    end = start
  }
}

/** Returns the newest good line; null for a log without one. Reads the end of the log alone. */
export function newestLine(files: FileContents, file: OpenFile): LogLine | null {
  for (const [newest] of readBack(files, file, { before: null, types: null })) if (newest !== undefined) return newest
  return null
}

function lineOfType(raw: RawLine, types: BackwardRead['types']): LogLine | null {
  if (!raw.terminated || raw.bytes === null) return null
  if (types !== null && !types.has(readPrefix(raw.bytes)?.type ?? '')) return null
  const check = checkLine(raw.bytes)
  return check.state === 'bad' ? null : toLogLine(raw, raw.bytes, check)
}

/** Returns the byte offset of the first line with this seq or a higher one. */
function endBefore(files: FileContents, file: OpenFile, before: number | null): number {
  const { sizeBytes } = files.stat(file)
  if (before === null) return sizeBytes
  const fromOffset = seekAfter(files, file, before - 1)
  for (const line of readLog(files, file, { fromOffset, after: before - 1 })) return line.byteOffset
  return sizeBytes
}

/** Returns the start of a line from which there are about as many bytes as a window has; at least one line. */
function windowStart(files: FileContents, file: OpenFile, end: number): number {
  for (let size = WINDOW_BYTES; size < end; size *= 4) {
    const start = nextLineStart(files, file, end - size - 1)
    if (start < end) return start
  }
  return 0
}
