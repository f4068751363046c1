import type { Files, OpenFile } from './files.ts'
import { readLog } from './read-log.ts'
import { splitLines } from './split-lines.ts'

/** Below this span reading on is cheaper than another probe. */
const LINEAR_BYTES = 64 * 1024

/**
 * A byte offset from which `readLog` with `after: seq` misses nothing and reads little that is not asked for. Found by
 * bisecting the file itself: lines are in ascending seq, so no index has to be built, kept or trusted, and a log of
 * gigabytes, or one written by another process, is as quick to enter as our own.
 */
export function seekAfter(files: Files, file: OpenFile, seq: number): number {
  let low = 0
  let high = files.stat(file).sizeBytes
  while (high - low > LINEAR_BYTES) {
    const middle = low + Math.floor((high - low) / 2)
    const probe = firstLineFrom(files, file, { from: middle, to: high })
    if (probe !== null && probe.seq <= seq) low = probe.endOffset
    else high = middle
  }
  return low
}

/** The first good line that begins at or after `from` and before `to`. */
function firstLineFrom(
  files: Files,
  file: OpenFile,
  span: { from: number; to: number },
): { seq: number; endOffset: number } | null {
  const start = nextLineStart(files, file, span.from)
  if (start >= span.to) return null
  for (const line of readLog(files, file, { fromOffset: start })) {
    return line.byteOffset < span.to ? line : null
  }
  return null
}

function nextLineStart(files: Files, file: OpenFile, from: number): number {
  for (const line of splitLines(files, file, from)) return line.endOffset
  return from
}
