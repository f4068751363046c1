import { wrapLines } from './fit-rows.ts'
import type { Line, Room, Span, Style } from './span.ts'
import { narrowed } from './span.ts'

/** Cells before the text column, which hold the mark of a block. */
export const gutterCells = 2

const blank: Span = { text: ' '.repeat(gutterCells) }

/** Returns the rows with a mark of one cell beside the first. */
export function marked(mark: Span, rows: readonly Line[]): readonly Line[] {
  return rows.map((row, index) => (index === 0 ? [{ ...mark, text: `${mark.text} ` }, ...row] : shifted(row)))
}

export function indented(rows: readonly Line[]): readonly Line[] {
  return rows.map(shifted)
}

/** Returns the rows behind a vertical line, which marks output of programs. */
export function barred(rows: readonly Line[]): readonly Line[] {
  return rows.map((row) => [{ text: '│ ', tone: 'muted' }, ...row])
}

/** Returns plain text as rows for the room beside the gutter. */
export function textRows(text: string, room: Room, style: Style = {}): readonly Line[] {
  const lines = text.split('\n').map((line): Line => (line === '' ? [] : [{ ...style, text: line }]))
  return wrapLines(lines, beside(room))
}

export function beside(room: Room): Room {
  return narrowed(room, gutterCells)
}

function shifted(row: Line): Line {
  return row.length === 0 ? row : [blank, ...row]
}
