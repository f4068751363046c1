import { openExisting, readSpan } from '../disk/file-io.ts'
import type { Files, OpenFile } from '../disk/files.ts'
import { readPrefix } from '../line/check-line.ts'
import { splitLines } from '../log/split-lines.ts'

/** A log up to this size is read whole; of a longer one this much from either end. */
export const EXCERPT_BYTES = 64 * 1024

export interface ExcerptLines {
  readonly headLines: readonly string[]
  /** Those of the types that were asked for, between the two ends. */
  readonly tellingLines: readonly string[]
  readonly tailLines: readonly string[]
}

/** Whole lines only, unverified. Null when there is no such file. */
export function readExcerpt(files: Files, path: string, tellingTypes: ReadonlySet<string>): ExcerptLines | null {
  const file = openExisting(files, path)
  if (file === null) return null
  try {
    return excerptOf(files, file, tellingTypes)
  } finally {
    files.close(file)
  }
}

function excerptOf(files: Files, file: OpenFile, tellingTypes: ReadonlySet<string>): ExcerptLines {
  const { sizeBytes } = files.stat(file)
  const head = readSpan(files, file, { offset: 0, length: Math.min(sizeBytes, EXCERPT_BYTES) })
  if (sizeBytes <= EXCERPT_BYTES) return { headLines: wholeLines(head), tellingLines: [], tailLines: [] }
  const offset = Math.max(EXCERPT_BYTES, sizeBytes - EXCERPT_BYTES)
  const tail = readSpan(files, file, { offset, length: sizeBytes - offset })
  const tellingLines = linesOfTypes(files, file, {
    types: tellingTypes,
    from: head.lastIndexOf('\n') + 1,
    to: offset,
  })
  return { headLines: wholeLines(head), tellingLines, tailLines: wholeLines(tail.subarray(tail.indexOf('\n') + 1)) }
}

/** Of the lines that begin in a span; one at its very end too, as the tail after it drops its first line. */
function linesOfTypes(
  files: Files,
  file: OpenFile,
  { types, from, to }: { types: ReadonlySet<string>; from: number; to: number },
): readonly string[] {
  const found: string[] = []
  for (const { bytes, byteOffset } of splitLines(files, file, from)) {
    if (byteOffset > to) break
    const type = bytes === null ? undefined : readPrefix(bytes)?.type
    if (bytes !== null && type !== undefined && types.has(type)) found.push(bytes.toString())
  }
  return found
}

/** What follows the last LF is cut off, by the span or by a crash. */
function wholeLines(bytes: Buffer): readonly string[] {
  const end = bytes.lastIndexOf('\n')
  return end === -1 ? [] : bytes.toString('utf8', 0, end).split('\n')
}
