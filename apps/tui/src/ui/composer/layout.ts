import type { Composer } from '@parley/presentation/composer/composer'
import { markRanges } from '@parley/presentation/composer/stops'
import { graphemes } from '@parley/presentation/text/graphemes'
import { type Line, type Room, type Span, sliceLine } from '@parley/presentation/text/span'
import { graphemeWidth } from '@parley/presentation/text/width'
import { breakRows, type RowRange } from '../../view/text/fit-rows.ts'

export interface ComposerLayout {
  readonly rows: readonly Line[]
  /** Caret in cells, within `rows`; the column is always inside the width. */
  readonly caret: { readonly row: number; readonly column: number }
  /** Hidden rows before and after. */
  readonly above: number
  readonly below: number
}

/** Returns at most `maxRows` rows of the composer around the caret. */
export function layoutComposer(composer: Composer, room: Room, maxRows: number): ComposerLayout {
  const rows = withCaretRow(composer, composerRows(composer, room), room)
  const row = rowAt(rows, composer.caret)
  const column = Math.min(columnAt(composer.text, rows[row], composer.caret, room), room.columns - 1)
  const top = Math.max(0, Math.min(row - Math.floor(maxRows / 2), rows.length - maxRows))
  const shown = rows.slice(top, top + maxRows)
  const line = markedLine(composer)
  return {
    rows: shown.map(({ start, end }) => visible(sliceLine(line, start, end))),
    caret: { row: row - top, column },
    above: top,
    below: rows.length - top - shown.length,
  }
}

/** Adds an empty row for a caret after a full row. */
function withCaretRow(composer: Composer, rows: readonly ComposerRow[], room: Room): readonly ComposerRow[] {
  const { caret, text } = composer
  const index = rowAt(rows, caret)
  const row = rows[index]
  if (row === undefined || caret !== row.end || columnAt(text, row, caret, room) < room.columns) return rows
  const own: ComposerRow = { start: caret, end: caret, lineEnds: true }
  return rows.toSpliced(index, 1, { ...row, lineEnds: false }, own)
}

/** Returns the whole text as one line, with marks of folded pastes highlighted. */
function markedLine(composer: Composer): Line {
  const spans: Span[] = []
  let offset = 0
  for (const { start, end } of markRanges(composer)) {
    spans.push({ text: composer.text.slice(offset, start) })
    spans.push({ text: composer.text.slice(start, end), tone: 'accent' })
    offset = end
  }
  return [...spans, { text: composer.text.slice(offset) }]
}

function visible(line: Line): Line {
  return line.map((span) => ({ ...span, text: span.text.replaceAll('\t', ' '.repeat(tabCells)) }))
}

/** Cells shown for a tab, which stays a tab in the text. */
const tabCells = 4

interface ComposerRow extends RowRange {
  /** True if the text's own line ends with this row, so that a caret at `end` is on it. */
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

function composerCells(grapheme: string, room: Room): number {
  return grapheme === '\t' ? tabCells : graphemeWidth(grapheme, room.ambiguous)
}

/** Returns the row of an offset; at a soft break the next row. */
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

/** Returns the offset on the row nearest to the cell without passing it. */
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
