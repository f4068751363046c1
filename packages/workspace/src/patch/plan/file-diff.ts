import { FILE_HEADERS_ONLY, formatPatch, type StructuredPatch, type StructuredPatchHunk, structuredPatch } from 'diff'
import { decodeUtf8 } from '../place/text-file.ts'

export interface DiffSides {
  /** Path in the `---` header; null for a new file. */
  readonly oldPath: string | null
  /** Path in the `+++` header; null for a deleted file. */
  readonly newPath: string | null
  readonly before: Uint8Array | null
  readonly after: Uint8Array | null
}

export interface FileDiff {
  /** Unified diff with three lines of context and `---`/`+++` headers. */
  readonly diff: string
  readonly additions: number
  readonly deletions: number
  /** False when a side is not UTF-8. */
  readonly isText: boolean
}

const contextLines = 3
const absent = '/dev/null'
/** Maximum number of changed lines for computing the shortest diff: its time grows with the square. */
const maxEditLength = 1000

/**
 * Returns the diff of one file for display and for the journal.
 *
 * It contains all lines that the patch writes. Old or moved content that is not UTF-8 becomes `Binary files differ`.
 */
export function diffFile(sides: DiffSides): FileDiff {
  const names = [sides.oldPath ?? absent, sides.newPath ?? absent] as const
  const before = textOf(sides.before)
  const after = textOf(sides.after)
  if (after === null || (before === null && sides.after === null)) return { ...binaryDiff(names, ''), isText: false }
  if (before === null) return binaryDiff(names, after)
  return { ...textDiff(names, before, after), isText: true }
}

/** Returns a diff against an empty text, for old content that is not text. */
function binaryDiff(names: Names, after: string): FileDiff {
  const { diff, additions, deletions } = textDiff(names, '', after)
  return { diff: `${diff}Binary files differ\n`, additions, deletions, isText: false }
}

type Names = readonly [string, string]

function textDiff(names: Names, before: string, after: string): Omit<FileDiff, 'isText'> {
  const options = { context: contextLines, maxEditLength }
  const shortest = structuredPatch(names[0], names[1], before, after, undefined, undefined, options)
  const hunks = shortest?.hunks ?? [oneHunk(splitLines(before), splitLines(after))]
  const lines = hunks.flatMap((hunk) => hunk.lines)
  return {
    diff: formatPatch(headed(names, hunks), FILE_HEADERS_ONLY),
    additions: lines.filter((line) => line.startsWith('+')).length,
    deletions: lines.filter((line) => line.startsWith('-')).length,
  }
}

function headed([oldFileName, newFileName]: Names, hunks: StructuredPatchHunk[]): StructuredPatch {
  return { oldFileName, newFileName, oldHeader: undefined, newHeader: undefined, hunks }
}

function textOf(bytes: Uint8Array | null): string | null {
  if (bytes === null) return ''
  return decodeUtf8(bytes)
}

/** Returns one hunk from the first to the last changed line, in linear time. */
function oneHunk(before: readonly string[], after: readonly string[]): StructuredPatchHunk {
  const shorter = Math.min(before.length, after.length)
  let same = 0
  while (same < shorter && before[same] === after[same]) same += 1
  let sameEnd = 0
  while (sameEnd < shorter - same && before.at(-1 - sameEnd) === after.at(-1 - sameEnd)) sameEnd += 1
  const start = Math.max(0, same - contextLines)
  const tail = Math.min(sameEnd, contextLines)
  const [oldEnd, newEnd] = [before.length - sameEnd, after.length - sameEnd]
  return {
    oldStart: start + 1,
    oldLines: oldEnd + tail - start,
    newStart: start + 1,
    newLines: newEnd + tail - start,
    lines: [
      ...before.slice(start, same).flatMap((line) => marked(' ', line)),
      ...before.slice(same, oldEnd).flatMap((line) => marked('-', line)),
      ...after.slice(same, newEnd).flatMap((line) => marked('+', line)),
      ...before.slice(oldEnd, oldEnd + tail).flatMap((line) => marked(' ', line)),
    ],
  }
}

function marked(mark: string, line: string): string[] {
  return line.endsWith('\n') ? [mark + line.slice(0, -1)] : [mark + line, '\\ No newline at end of file']
}

/** Splits lines and keeps their line feeds. */
function splitLines(content: string): string[] {
  return content.match(/[^\n]*\n|[^\n]+/g) ?? []
}
