import type { Files, OpenFile } from './files.ts'
import { openExisting, readSpan } from './read-file.ts'

/** A log up to this size is read whole; of a longer one this much from either end. */
export const EXCERPT_BYTES = 64 * 1024

export interface ExcerptLines {
  readonly headLines: readonly string[]
  readonly tailLines: readonly string[]
}

/** Whole lines only, unverified. Null when there is no such file. */
export function readExcerpt(files: Files, path: string): ExcerptLines | null {
  const file = openExisting(files, path)
  if (file === null) return null
  try {
    return excerptOf(files, file)
  } finally {
    files.close(file)
  }
}

function excerptOf(files: Files, file: OpenFile): ExcerptLines {
  const { sizeBytes } = files.stat(file)
  const head = readSpan(files, file, { offset: 0, length: Math.min(sizeBytes, EXCERPT_BYTES) })
  if (sizeBytes <= EXCERPT_BYTES) return { headLines: wholeLines(head), tailLines: [] }
  const offset = Math.max(EXCERPT_BYTES, sizeBytes - EXCERPT_BYTES)
  const tail = readSpan(files, file, { offset, length: sizeBytes - offset })
  return { headLines: wholeLines(head), tailLines: wholeLines(tail.subarray(tail.indexOf('\n') + 1)) }
}

/** What follows the last LF is cut off, by the span or by a crash. */
function wholeLines(bytes: Buffer): readonly string[] {
  const end = bytes.lastIndexOf('\n')
  return end === -1 ? [] : bytes.toString('utf8', 0, end).split('\n')
}
