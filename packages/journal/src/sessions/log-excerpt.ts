import { timeSlices } from '@parley/host'
import { openExisting, readSpan } from '../disk/file-io.ts'
import type { FileContents, OpenFile } from '../disk/files.ts'
import { readPrefix, splitLines } from '../line/read-lines.ts'
import { nextLineStart } from '../log/read-log.ts'

/** Size up to which a log is read whole, and bytes read from each end of a longer one. */
export const EXCERPT_BYTES = 64 * 1024

export interface ExcerptLines {
  readonly headLines: readonly string[]
  /** The line that the end of the head cuts, and lines of the requested types between the two ends. */
  readonly tellingLines: readonly string[]
  readonly tailLines: readonly string[]
}

interface ExcerptOptions {
  readonly types: ReadonlySet<string>
  /** Size of the log at an earlier excerpt, which covers its lines up to there; 0 without one. */
  readonly knownBytes: number
}

/** Reads whole lines of a log, unverified. Returns null when there is no such file. */
export async function readExcerpt(
  files: FileContents,
  path: string,
  telling: ExcerptOptions,
): Promise<ExcerptLines | null> {
  const file = openExisting(files, path)
  if (file === null) return null
  try {
    return await excerptOf(files, file, telling)
  } finally {
    files.close(file)
  }
}

async function excerptOf(
  files: FileContents,
  file: OpenFile,
  { types, knownBytes }: ExcerptOptions,
): Promise<ExcerptLines> {
  const { sizeBytes } = files.stat(file)
  const head = readSpan(files, file, { offset: 0, length: Math.min(sizeBytes, EXCERPT_BYTES) })
  if (sizeBytes <= EXCERPT_BYTES) return { headLines: wholeLines(head), tellingLines: [], tailLines: [] }
  const offset = Math.max(EXCERPT_BYTES, sizeBytes - EXCERPT_BYTES)
  const tail = readSpan(files, file, { offset, length: sizeBytes - offset })
  const headEnd = head.lastIndexOf('\n') + 1
  // The last line may have been cut in the earlier excerpt; telling lines are short.
  const knownEnd = knownBytes - EXCERPT_BYTES
  const from = knownEnd > headEnd ? nextLineStart(files, file, knownEnd) : headEnd
  const tellingLines = await linesOfTypes(files, file, { types, from, to: offset })
  return { headLines: wholeLines(head), tellingLines, tailLines: wholeLines(tail.subarray(tail.indexOf('\n') + 1)) }
}

/**
 * Returns the first line of a span, which may be a long message, and lines of some types that begin in it. The end of the
 * span counts: the tail after it drops its first line.
 */
async function linesOfTypes(
  files: FileContents,
  file: OpenFile,
  { types, from, to }: { types: ReadonlySet<string>; from: number; to: number },
): Promise<readonly string[]> {
  const slices = timeSlices()
  const found: string[] = []
  for (const { bytes, byteOffset } of splitLines(files, file, from)) {
    if (byteOffset > to) break
    if (slices.isOver()) await slices.next()
    if (bytes === null) continue
    const type = readPrefix(bytes)?.type
    if (byteOffset === from || (type !== undefined && types.has(type))) found.push(bytes.toString())
  }
  return found
}

/** Splits bytes into lines, without the piece after the last LF, which the span or a crash has cut. */
function wholeLines(bytes: Buffer): readonly string[] {
  const end = bytes.lastIndexOf('\n')
  return end === -1 ? [] : bytes.toString('utf8', 0, end).split('\n')
}
