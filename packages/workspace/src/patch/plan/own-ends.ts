import { changeOf, type Edit, editAt, replaceLines } from '../place/edit-lines.ts'
import type { TextFile } from '../place/text-file.ts'

/** Replacement at offsets of a file's text with its lines joined by line feeds. */
export interface TextChange {
  readonly source: string
  readonly wanted: string
  readonly inserted: string
  /** Ascending, without overlaps. */
  readonly places: readonly number[]
}

/** Returns the whole text after the replacements. */
export function replacedText({ source, wanted, inserted, places }: TextChange): string {
  const pieces: string[] = []
  let position = 0
  for (const at of places) {
    pieces.push(source.slice(position, at), inserted)
    position = at + wanted.length
  }
  return pieces.join('') + source.slice(position)
}

/**
 * Replaces texts in a file with two kinds of line ends: unchanged lines keep their own, new ones get the end of the
 * line before.
 */
export function replacedInOwnEnds(file: TextFile, change: TextChange): TextFile {
  const edits = regionsOf(file, change).map((region): Edit => editOf(file, change, region))
  return { ...file, lines: replaceLines(file.lines, edits, replacedText(change).endsWith('\n')) }
}

/** Lines from `first` to before `end` that the replacements at some offsets change. */
interface Region {
  readonly first: number
  end: number
  /** Offset of the first line, and that after the last. */
  readonly from: number
  to: number
  readonly places: number[]
}

/** Returns the changed lines; adjacent ones, and regions that share a line, as one region. */
function regionsOf({ lines }: TextFile, { wanted, places }: TextChange): readonly Region[] {
  const regions: Region[] = []
  let [line, offset] = [0, 0]
  const lengthOf = (index: number) => (lines[index]?.text.length ?? 0) + (lines[index]?.end === '' ? 0 : 1)
  for (const at of places) {
    while (line < lines.length - 1 && offset + lengthOf(line) <= at) {
      offset += lengthOf(line)
      line += 1
    }
    const last = regions.at(-1)
    const region =
      last !== undefined && line < last.end ? last : { first: line, end: line, from: offset, to: offset, places: [] }
    if (region !== last) regions.push(region)
    region.places.push(at)
    // The line behind a line feed that is replaced may become part of the one before.
    while (region.end < lines.length && region.to <= at + wanted.length) {
      region.to += lengthOf(region.end)
      region.end += 1
    }
  }
  return regions
}

function editOf(file: TextFile, change: TextChange, { first, end, from, to, places }: Region): Edit {
  const source = change.source.slice(from, to)
  const text = replacedText({ ...change, source, places: places.map((at) => at - from) })
  const after = text === '' ? [] : (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')
  const before = file.lines.slice(first, end).map((line) => line.text)
  return editAt(file, { start: first, lines: changeOf(before, after) })
}
