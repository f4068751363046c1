import { graphemes } from '../../view/graphemes.ts'
import type { Room } from '../../view/span.ts'
import { graphemeWidth } from '../../view/width.ts'
import { breakRows, type Row } from '../../view/wrap.ts'
import type { Composer } from './composer.ts'

/** Tabs are kept in the text and shown as this many blanks. */
export const tabCells = 4

export interface ComposerRow extends Row {
  /** Whether the text's own line ends with this row, so that a caret at `end` stands here. */
  readonly lineEnds: boolean
}

export function composerRows({ text }: Composer, room: Room): readonly ComposerRow[] {
  const rows: ComposerRow[] = []
  let offset = 0
  for (const line of text.split('\n')) {
    const broken = breakRows(line, {
      columnsOf: () => room.columns,
      measure: (grapheme) => composerCells(grapheme, room),
      mode: 'word',
    })
    for (const [index, row] of broken.entries()) {
      const lineEnds = index === broken.length - 1
      rows.push({ start: offset + row.start, end: offset + row.end, lineEnds })
    }
    offset += line.length + 1
  }
  return rows
}

export function composerCells(grapheme: string, room: Room): number {
  return grapheme === '\t' ? tabCells : graphemeWidth(grapheme, room.ambiguous)
}

/** The row that the offset is drawn on: at a soft break it is the next row's start. */
export function rowAt(rows: readonly ComposerRow[], offset: number): number {
  return Math.max(
    0,
    rows.findIndex((row) => offset < row.end || (offset === row.end && row.lineEnds)),
  )
}

export function columnAt(text: string, row: ComposerRow | undefined, offset: number, room: Room): number {
  let column = 0
  for (const grapheme of graphemes(text.slice(row?.start ?? 0, offset))) column += composerCells(grapheme, room)
  return column
}

/** The offset on the row that is nearest to the cell without going past it. */
export function offsetAt(text: string, row: ComposerRow, column: number, room: Room): number {
  let offset = row.start
  let cells = 0
  for (const grapheme of graphemes(text.slice(row.start, row.end))) {
    cells += composerCells(grapheme, room)
    const next = offset + grapheme.length
    if (cells > column || (next === row.end && !row.lineEnds)) break
    offset = next
  }
  return offset
}
