import {
  type Ground,
  type Line,
  lineText,
  narrowed,
  type Room,
  type Span,
  type Style,
} from '@parley/presentation/text/span'
import { cellWidth } from '@parley/presentation/text/width'
import { wrapLines } from './fit-rows.ts'

/** Cells before the text column, which hold the mark of a block. */
export const gutterCells = 2

const blank: Span = { text: ' '.repeat(gutterCells) }

/** Returns the rows with a mark of one cell beside the first. */
export function marked(mark: Span, rows: readonly Line[]): readonly Line[] {
  return rows.map((row, index) => (index === 0 ? [{ ...mark, text: `${mark.text} ` }, ...row] : shifted(row)))
}

/** Returns the row with a mark that has two cells, where characters of ambiguous width do, in the cells of mark and blank. */
export function inGutter(row: Line, { ambiguous }: Room): Line {
  const [mark, ...rest] = row
  if (ambiguous !== 2 || mark === undefined || !/^ *\S $/.test(mark.text)) return row
  return cellWidth(mark.text.trim(), ambiguous) === 1 ? row : [{ ...mark, text: mark.text.slice(0, -1) }, ...rest]
}

export function indented(rows: readonly Line[]): readonly Line[] {
  return rows.map(shifted)
}

const corner: Span = { text: '  └ ', tone: 'muted' }
const belowCorner: Span = { text: ' '.repeat(corner.text.length) }

/** Returns the rows below the row they belong to, such as the output below its command. */
export function hung(rows: readonly Line[]): readonly Line[] {
  return rows.map((row, index) => (index === 0 ? [corner, ...row] : row.length === 0 ? row : [belowCorner, ...row]))
}

/** Returns the room of hung rows. */
export function below(room: Room): Room {
  return narrowed(room, corner.text.length)
}

const band: Span = { text: '▌ ', tone: 'accent', ground: 'band' }

/** Returns the rows on a band over the full width, which marks messages of the user. */
export function banded(rows: readonly Line[], room: Room): readonly Line[] {
  return rows.map((row) => filled([band, ...row.map((span): Span => ({ ...span, ground: 'band' }))], 'band', room))
}

/** Returns the row with its ground up to the end of the room. */
export function filled(row: Line, ground: Ground, room: Room): Line {
  const left = room.columns - cellWidth(lineText(row), room.ambiguous)
  return left > 0 ? [...row, { text: ' '.repeat(left), ground }] : row
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
