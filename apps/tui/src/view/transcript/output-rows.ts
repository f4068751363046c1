import { stripEffects, terminalSequence } from '@parley/presentation/text/control-characters'
import { count, formatBytes } from '@parley/presentation/text/formats'
import { type Line, lineText, type Room } from '@parley/presentation/text/span'
import { cellWidth } from '@parley/presentation/text/width'
import type { CallOutput } from '@parley/protocol'
import { type Clip, lastRows, wrapLines } from '../text/fit-rows.ts'

/** Characters laid out at most: the screen never shows more at once. */
const maxCharacters = 32_768

/**
 * Returns command output as rows, overwriting applied and control characters dropped: its beginning and end, with the
 * count of the hidden lines between, over all that was printed.
 */
export function outputRows(output: CallOutput, room: Room, clip: Clip): readonly Line[] {
  if (output.binary) return [[{ text: `${formatBytes(output.totalBytes)} that are not text`, tone: 'muted' }]]
  const head = numberedRows(output.head.slice(0, maxCharacters), room)
  const tail = numberedRows(output.tail.slice(-maxCharacters), room, lineCount(head))
  const rows = [...head, ...tail]
  const isGapped = output.omittedBytes > 0
  // Replacing one row of text by a row with its count would save nothing.
  if (!isGapped && rows.length - clip.head - clip.tail <= 1) return rows.map(({ row }) => row)
  const first = (isGapped ? head : rows).slice(0, clip.head)
  const last = lastRows(isGapped ? tail : rows, clip.tail)
  const shown = new Set([...first, ...last].map(({ line }) => line)).size
  const hidden = { rows: rows.length - first.length - last.length, lines: lineCount(rows) - shown }
  return [
    ...first.map(({ row }) => row),
    hiddenRow(output, shown, { ...hidden, hint: clip.hint ?? '' }),
    ...last.map(({ row }) => row),
  ]
}

/**
 * Returns the end of command output in at most `limit` rows. Where some is left out, the last row is the count of all
 * lines that were printed, and blank rows are passed over.
 */
export function outputTail(
  output: CallOutput,
  room: Room,
  { limit, hint }: { readonly limit: number; readonly hint: string },
): readonly Line[] {
  if (output.binary) return [[{ text: `${formatBytes(output.totalBytes)} that are not text`, tone: 'muted' }]]
  const isGapped = output.omittedBytes > 0
  const head = isGapped ? [] : numberedRows(output.head.slice(-maxCharacters), room)
  const rows = [...head, ...numberedRows(output.tail.slice(-maxCharacters), room)]
  if (!isGapped && rows.length <= limit) return rows.map(({ row }) => row)
  const written = rows.filter(({ row }) => lineText(row).trim() !== '')
  return [...lastLines(written, limit - 1), [{ text: `… ${printedWords(output)}${hint}`, tone: 'muted' }]]
}

/** Returns the last rows from the beginning of a line on, where one begins among them. */
function lastLines(rows: readonly NumberedRow[], limit: number): readonly Line[] {
  const from = Math.max(0, rows.length - limit)
  const begin = rows.findIndex(({ line }, index) => index >= from && line !== rows[index - 1]?.line)
  return rows.slice(begin === -1 ? from : begin).map(({ row }) => row)
}

/** Returns the number of lines that were printed, or the size where nobody counted or there is one line. */
function printedWords({ head, tail, omittedBytes, totalBytes, totalLines }: CallOutput): string {
  const lines = omittedBytes > 0 ? totalLines : textLines(head + tail).length
  return lines === undefined || lines === 1 ? formatBytes(totalBytes) : `${count(lines)} lines`
}

interface NumberedRow {
  readonly row: Line
  /** Index of the line that the row is a part of. */
  readonly line: number
}

function numberedRows(text: string, room: Room, from = 0): readonly NumberedRow[] {
  return textLines(text).flatMap((line, index) => wrapRows([line], room).map((row) => ({ row, line: from + index })))
}

function lineCount(rows: readonly NumberedRow[]): number {
  const last = rows.at(-1)
  return last === undefined ? 0 : last.line + 1
}

/** Returns the row with the count of hidden lines; `hidden` counts the hidden lines in memory. */
function hiddenRow(
  { omittedBytes, totalLines }: CallOutput,
  shown: number,
  hidden: { readonly rows: number; readonly lines: number; readonly hint: string },
): Line {
  const isCounted = omittedBytes === 0 || totalLines !== undefined
  const lines = omittedBytes > 0 && totalLines !== undefined ? totalLines - shown : hidden.lines
  const rest = omittedBytes > 0 ? `${formatBytes(omittedBytes)} not shown` : `${count(hidden.rows)} more rows`
  const more = `${isCounted ? '' : 'over '}${count(lines)} more ${lines === 1 ? 'line' : 'lines'}`
  return [{ text: `… ${lines > 0 ? more : rest}${hidden.hint}`, tone: 'muted' }]
}

/** Returns the newest rows of output that is still arriving. */
export function tailRows(text: string, room: Room, limit: number): readonly Line[] {
  return textRows(text.slice(-limit * 4 * room.columns), room).slice(-limit)
}

function textRows(text: string, room: Room): readonly Line[] {
  return wrapRows(textLines(text), room)
}

function textLines(text: string): readonly Line[] {
  const shown = stripEffects(collapseOverwrites(text), 8).replace(/\n+$/, '')
  if (shown === '') return []
  return shown.split('\n').map((line): Line => (line === '' ? [] : [{ text: line, tone: 'muted' }]))
}

function wrapRows(lines: readonly Line[], room: Room): readonly Line[] {
  return wrapLines(lines, { ...room, mode: 'anywhere', hang: 0 })
}

/** Highest column: a hostile number must not create an endless line of blanks. */
const maxColumn = 4_096

const moving = /[\r\b]|\x1b\[[0-9;]*[CDGK]/

interface LineCells {
  readonly cells: string[]
  column: number
}

/**
 * Applies carriage returns, backspaces, moves within the line and erasing as a terminal would. Drops colours and moves
 * between lines, so progress drawn over several lines stays as separate frames.
 */
export function collapseOverwrites(text: string): string {
  if (!moving.test(text)) return text
  return text
    .split('\n')
    .map((line) => (moving.test(line) ? settledLine(line) : line))
    .join('\n')
}

function settledLine(line: string): string {
  const written: LineCells = { cells: [], column: 0 }
  let offset = 0
  for (const { 0: sequence, index } of line.matchAll(terminalSequence)) {
    writeText(written, line.slice(offset, index))
    applySequence(written, sequence)
    offset = index + sequence.length
  }
  writeText(written, line.slice(offset))
  return Array.from(written.cells, (cell) => cell ?? ' ').join('')
}

function writeText(written: LineCells, text: string): void {
  for (const character of text) {
    if (character === '\r') written.column = 0
    else if (character === '\b') written.column = Math.max(0, written.column - 1)
    else if (character !== '\t' && written.column > 0 && cellWidth(character) === 0) {
      written.cells[written.column - 1] = (written.cells[written.column - 1] ?? ' ') + character
    } else {
      written.cells[written.column] = character
      written.column += 1
    }
  }
}

function applySequence(written: LineCells, sequence: string): void {
  const parameter = /^\x1b\[(\d*)([CDGK])$/.exec(sequence)
  if (parameter === null) return
  const count = Number(parameter[1])
  switch (parameter[2]) {
    case 'C':
      written.column = Math.min(maxColumn, written.column + (count || 1))
      break
    case 'D':
      written.column = Math.max(0, written.column - (count || 1))
      break
    case 'G':
      written.column = Math.min(maxColumn, Math.max(0, count - 1))
      break
    default:
      erase(written, count)
  }
}

/** Erases part of the line: 0 to its end, 1 to its start, 2 all of it. */
function erase(written: LineCells, what: number): void {
  if (what === 1) written.cells.fill(' ', 0, written.column + 1)
  else written.cells.length = what === 0 ? Math.min(written.cells.length, written.column) : 0
}
