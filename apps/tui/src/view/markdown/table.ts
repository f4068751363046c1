import { inlineLines, knownToken } from '@parley/presentation/markdown/inline'
import { type Line, lineText, narrowed, type Room, type Span, type Style } from '@parley/presentation/text/span'
import { cellWidth } from '@parley/presentation/text/width'
import type { Tokens } from 'marked'
import { wrapLine, wrapLines } from '../text/fit-rows.ts'

type Align = 'center' | 'left' | 'right' | null

/** Cells of a row; each cell may have several lines. */
type Cells = readonly (readonly Line[])[]

/** Returns a table without a frame, so that a wrong width cannot break its right edge. */
export function tableRows(table: Tokens.Table, room: Room): readonly Line[] {
  const header = table.header.map((cell) => cellLines(cell, { bold: true }))
  const body = table.rows.map((row) => row.map((cell) => cellLines(cell, {})))
  const bar = ' │ '
  const barWidth = cellWidth(bar, room.ambiguous)
  const natural = header.map((cell, column) =>
    body.reduce((most, row) => Math.max(most, linesWidth(row[column] ?? [], room)), linesWidth(cell, room)),
  )
  const widths = fitColumns(natural, room.columns - barWidth * (natural.length - 1))
  if (widths === null) return stackedRows(header, body, room)
  const lay = (cells: Cells) => layRow(cells, { widths, align: table.align, room, bar })
  const rows = body.map(lay)
  const rule = ruleRow(widths, barWidth, room)
  const apart = rows.some((row) => row.length > 1)
  return [...lay(header), rule, ...rows.flatMap((row, index) => (apart && index > 0 ? [rule, ...row] : row))]
}

function cellLines(cell: Tokens.TableCell, style: Style): readonly Line[] {
  return inlineLines(knownToken(cell.tokens), style)
}

function linesWidth(lines: readonly Line[], room: Room): number {
  return lines.reduce((most, line) => Math.max(most, cellWidth(lineText(line), room.ambiguous)), 0)
}

interface Layout {
  readonly widths: readonly number[]
  readonly align: readonly Align[]
  readonly room: Room
  readonly bar: string
}

function layRow(cells: Cells, { widths, align, room, bar }: Layout): readonly Line[] {
  const wrapped = widths.map((columns, index) => wrapLines(cells[index] ?? [], { ...room, columns }))
  const height = wrapped.reduce((most, lines) => Math.max(most, lines.length), 1)
  return Array.from({ length: height }, (_, row) =>
    wrapped.flatMap((lines, column): Line => {
      const line = lines[row] ?? []
      const spare = (widths[column] ?? 0) - cellWidth(lineText(line), room.ambiguous)
      const last = column === widths.length - 1
      const padded = pad(line, Math.max(0, spare), align[column] ?? null, last)
      return last ? padded : [...padded, { text: bar, tone: 'muted' }]
    }),
  )
}

/** Pads a cell to its column; the last column gets no trailing blanks. */
function pad(line: Line, spare: number, align: Align, last: boolean): Line {
  const before = align === 'right' ? spare : align === 'center' ? Math.floor(spare / 2) : 0
  const after = last ? 0 : spare - before
  return [...blanks(before), ...line, ...blanks(after)]
}

function blanks(count: number): readonly Span[] {
  return count > 0 ? [{ text: ' '.repeat(count) }] : []
}

function ruleRow(widths: readonly number[], barWidth: number, room: Room): Line {
  const dash = cellWidth('─', room.ambiguous)
  const total = widths.reduce((sum, width) => sum + width, 0) + barWidth * (widths.length - 1)
  if (dash !== 1) return [{ text: '─'.repeat(Math.floor(total / dash)), tone: 'muted' }]
  return [{ text: widths.map((width) => '─'.repeat(width)).join('─┼─'), tone: 'muted' }]
}

/** Returns each row as a block of `header: cell` lines, for tables with too many columns. */
function stackedRows(header: Cells, body: readonly Cells[], room: Room): readonly Line[] {
  return body.flatMap((row, index) => {
    const fields = row.flatMap((cell, column) => stackedField(header[column] ?? [], cell, room))
    return index > 0 ? [[], ...fields] : fields
  })
}

function stackedField(header: readonly Line[], cell: readonly Line[], room: Room): readonly Line[] {
  const [first = [], ...others] = cell
  const label: Line = [...header.flatMap((line) => [...line]), { text: ': ', bold: true }]
  const rows = wrapLine([...label, ...first], { ...room, hang: 2 })
  const inner = narrowed(room, 2)
  return [...rows, ...wrapLines(others, inner).map((line): Line => [{ text: '  ' }, ...line])]
}

/** Minimum column width in cells; narrower columns cut most words. */
const minReadable = 8

/**
 * Returns column widths of at most `room` in all: narrow columns keep their natural width, wide ones share the rest.
 * Null if the columns would become unreadable.
 */
function fitColumns(natural: readonly number[], room: number): readonly number[] | null {
  if (sum(natural) <= room) return natural
  if (sum(natural.map((width) => Math.min(width, minReadable))) > room) return null
  const cap = largestCap(natural, room)
  const widths = natural.map((width) => Math.min(width, cap))
  let spare = room - sum(widths)
  return widths.map((width, column) => {
    if (spare <= 0 || width >= (natural[column] ?? 0)) return width
    spare -= 1
    return width + 1
  })
}

/** Returns the widest limit under which all columns fit. */
function largestCap(natural: readonly number[], room: number): number {
  let cap = minReadable
  while (sum(natural.map((width) => Math.min(width, cap + 1))) <= room) cap += 1
  return cap
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
