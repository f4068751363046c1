import { diffArrays } from 'diff'
import type { ChunkLine } from '../parse/parse-chunks.ts'
import type { TextFile, TextLine } from './text-file.ts'

/** Lines that take the place of others in a file. */
export interface Edit {
  readonly start: number
  readonly removed: number
  readonly lines: readonly TextLine[]
}

/** Lines to keep, remove and insert from an index of a file. */
export interface LineChange {
  readonly start: number
  readonly lines: readonly ChunkLine[]
}

/**
 * Returns the edit of a change. Kept lines keep the file's form. Where as many lines are added as removed, each added
 * line gets the line end of the line that it replaces; other added lines get the line end of the line before them.
 */
export function editAt(file: TextFile, { start, lines }: LineChange): Edit {
  const replacement: TextLine[] = []
  let position = start
  for (const run of runsOf(lines)) {
    const { length } = run.filter(({ kind }) => kind === 'insert')
    const paired = length * 2 === run.length ? position + 1 : null
    let added = 0
    for (const { kind, text } of run) {
      const current = file.lines[position]
      if (kind === 'insert') replacement.push(insertedLine(file, paired === null ? position : paired + added++, text))
      else position += 1
      if (kind === 'keep' && current !== undefined) replacement.push(current)
    }
  }
  return { start, removed: position - start, lines: replacement }
}

/** Splits lines into kept ones and groups that change together. */
function runsOf(lines: readonly ChunkLine[]): readonly (readonly ChunkLine[])[] {
  const runs: ChunkLine[][] = []
  let isKept: boolean | null = null
  for (const line of lines) {
    if ((line.kind === 'keep') !== isKept) runs.push([])
    isKept = line.kind === 'keep'
    runs.at(-1)?.push(line)
  }
  return runs
}

/** Gives a new line the line end of the line before `position`. */
function insertedLine(file: TextFile, position: number, text: string): TextLine {
  const end = file.lines[position - 1]?.end || (position === 0 ? file.lines[0]?.end : '') || endOfUnclosed(file.lines)
  return { text: end === '\r\n' && text.endsWith('\r') ? text.slice(0, -1) : text, end }
}

/** Returns the line end that a last line without one gets once it is not the last. */
export function endOfUnclosed(lines: readonly TextLine[]): '\n' | '\r\n' {
  return lines.at(-2)?.end || '\n'
}

/** Tests if the last line has a line end; an empty file gets one. */
export function isClosed(lines: readonly TextLine[]): boolean {
  return lines.at(-1)?.end !== ''
}

/** Replaces lines. The last line of the result has a line end if the file is to be closed. */
export function replaceLines(lines: readonly TextLine[], edits: readonly Edit[], closed: boolean): TextLine[] {
  // Joined at the end, because push(...lines) fails for files with more lines than a call can have arguments.
  const pieces: (readonly TextLine[])[] = []
  let position = 0
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    pieces.push(lines.slice(position, edit.start), edit.lines)
    position = edit.start + edit.removed
  }
  pieces.push(lines.slice(position))
  const result = pieces.flat()
  return result.map((line, index) => {
    if (index === result.length - 1 && !closed) return { ...line, end: '' }
    return line.end === '' ? { ...line, end: endOfUnclosed(lines) } : line
  })
}

/** Maximum number of changed lines for finding which ones stay; the time for it grows with its square. */
const maxChangedLines = 1000

/** Returns the change from some lines to others that keeps as many as possible. */
export function changeOf(before: readonly string[], after: readonly string[]): readonly ChunkLine[] {
  const parts = diffArrays([...before], [...after], { maxEditLength: maxChangedLines })
  if (parts === undefined) return [...linesOf('remove', before), ...linesOf('insert', after)]
  return parts.flatMap(({ added, removed, value }) => linesOf(added ? 'insert' : removed ? 'remove' : 'keep', value))
}

function linesOf(kind: ChunkLine['kind'], texts: readonly string[]): readonly ChunkLine[] {
  return texts.map((text) => ({ kind, text }))
}
