import type { Output } from '@parley/protocol'
import { stripEffects, terminalSequence } from '../text/control-characters.ts'
import { wrapLines } from '../text/fit-rows.ts'
import { formatBytes } from '../text/formats.ts'
import type { Line, Room } from '../text/span.ts'
import { cellWidth } from '../text/width.ts'

/** Characters laid out at most: the screen never shows more at once. */
const maxCharacters = 32_768

/** Returns command output as rows: overwriting applied, control characters dropped, wrapped anywhere. */
export function outputRows(output: Output, room: Room): readonly Line[] {
  if (output.binary) return [[{ text: `${formatBytes(output.totalBytes)} that are not text`, tone: 'muted' }]]
  const head = textRows(output.head.slice(0, maxCharacters), room)
  if (output.tail === '' && output.omittedBytes === 0) return head
  const gap: Line = [{ text: `… ${formatBytes(output.omittedBytes)} not shown`, tone: 'muted' }]
  return [...head, ...(output.omittedBytes > 0 ? [gap] : []), ...textRows(output.tail.slice(-maxCharacters), room)]
}

/** Returns the newest rows of output that is still arriving. */
export function tailRows(text: string, room: Room, limit: number): readonly Line[] {
  return textRows(text.slice(-limit * 4 * room.columns), room).slice(-limit)
}

function textRows(text: string, room: Room): readonly Line[] {
  const shown = stripEffects(collapseOverwrites(text), 8).replace(/\n+$/, '')
  if (shown === '') return []
  const lines = shown.split('\n').map((line): Line => (line === '' ? [] : [{ text: line, tone: 'muted' }]))
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
