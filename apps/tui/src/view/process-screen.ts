import type { TypedLine } from '@parley/presentation/processes/typed-line'
import { shownLine, shownName, strippedLine } from '@parley/presentation/text/control-characters'
import { count, countOf, formatBytes } from '@parley/presentation/text/formats'
import { type Line, lineText, type Room, type Span } from '@parley/presentation/text/span'
import { truncateLine } from '@parley/presentation/text/truncate'
import { cellWidth } from '@parley/presentation/text/width'
import type { ProcessOutput, ProcessRoom, ProcessView } from '../ui/processes/process-view.ts'
import { highlighted } from './pager/find-text.ts'
import type { PagerSurroundings } from './pager-screen.ts'
import type { TerminalSize } from './screen.ts'
import { fittingParts, wrapLine } from './text/fit-rows.ts'

/** Size of the terminal, and the cells of its characters. */
export type ProcessSize = Room & Pick<TerminalSize, 'rows'>

/** Rows above the output (title, state, blank) and below it (keys). */
const headRows = 3

function footRows({ typed }: ProcessView): number {
  return typed === null ? 1 : 2
}

/** Returns how many rows the output has and how many fit. */
export function processRoom(view: ProcessView, size: ProcessSize): ProcessRoom {
  return { rowCount: outputRows(view, size).length, height: Math.max(1, size.rows - headRows - footRows(view)) }
}

/** Returns the rows of the view of a process, as many as the terminal has. */
export function processScreen(view: ProcessView, size: ProcessSize, around: PagerSurroundings): readonly Line[] {
  const all = outputRows(view, size)
  const { height } = processRoom(view, size)
  const end = all.length - Math.min(view.fromEnd, Math.max(0, all.length - height))
  const body = all.slice(Math.max(0, end - height), end)
  const filled = Array.from({ length: height }, (_, row) => body[row] ?? [])
  const rows = [...headOf(view), ...filled, ...typingRow(view, size, around), lastRow(view, size, around)]
  return rows.map((line) => truncateLine(line, size)).slice(-size.rows)
}

/** Returns the whole view as lines, for a terminal that gets lines only. */
export function processText(view: ProcessView): readonly string[] {
  const rows = outputRows(view, { columns: Number.MAX_SAFE_INTEGER, rows: 0 })
  return [...headOf(view).slice(0, 2), ...rows].map(lineText)
}

function headOf(view: ProcessView): readonly Line[] {
  return [[{ text: shownLine(view.title), bold: true }], [muted(standing(view))], []]
}

function standing({ newest, query, shown }: ProcessView): string {
  if (newest === null) return 'reading …'
  const { end, of, totalBytes } = newest
  const state = end === null ? 'runs' : `ended: ${end}`
  const lines = query === '' ? countOf(of, 'line') : `${countOf(of, 'line')} with “${shownName(query)}”`
  const first = shown?.lines[0]?.number
  const from = query === '' && first !== undefined && first > 1 ? `, shown from line ${count(first)}` : ''
  const gap =
    query === '' || newest.omittedBytes === 0 ? '' : ` · ${formatBytes(newest.omittedBytes)} between no longer kept`
  return `${state} · ${formatBytes(totalBytes)} · ${lines}${from}${gap}`
}

const rowsOfOutput = new WeakMap<ProcessOutput, { readonly key: string; readonly rows: readonly Line[] }>()

/** Returns the lines of the output as rows; they are made once for each width. */
function outputRows({ shown, query }: ProcessView, room: ProcessSize): readonly Line[] {
  if (shown === null) return []
  const key = `${room.columns} ${room.ambiguous}`
  const known = rowsOfOutput.get(shown)
  if (known?.key === key) return known.rows
  const rows = madeRows(shown, query, room)
  rowsOfOutput.set(shown, { key, rows })
  return rows
}

function madeRows({ binary, lines, totalBytes }: ProcessOutput, query: string, room: ProcessSize): readonly Line[] {
  if (binary === true) return [[muted('This output is no text.')]]
  if (lines.length > 0)
    return lines.flatMap(({ number, text }) => {
      const words = strippedLine(text)
      const line: Line =
        query === '' ? [{ text: words }] : [muted(`${number}: `), ...highlighted([{ text: words }], query)]
      return wrapLine(line, room)
    })
  return [[muted(query !== '' ? 'No line has that.' : totalBytes === 0 ? 'It has written nothing so far.' : '')]]
}

const typingHints = {
  terminal: ['Enter sends', 'Esc ends typing', 'Ctrl+C, Ctrl+D, Tab, ↑↓ go to it', 'Ctrl+S hides'],
  pipe: ['Enter sends', 'Esc ends typing', 'Ctrl+D ends its input', 'Ctrl+S hides'],
} as const

/** Returns the row above a typed line: its keys, or the outcome of the last one. */
function typingRow(
  { typed, newest, note }: ProcessView,
  size: ProcessSize,
  { isAsked }: PagerSurroundings,
): readonly Line[] {
  if (typed === null) return []
  if (isAsked) return [[{ text: ' A question waits: Esc, then q shows it ', tone: 'warn', bold: true, inverse: true }]]
  if (note !== null) return [[{ text: shownName(note) }]]
  return [[muted(fittingParts(typingHints[newest?.input ?? 'pipe'], size))]]
}

/** Returns the end of a typed line that fits, dots where it is hidden. */
function typedRow({ text, isHidden }: TypedLine, { columns, ambiguous }: ProcessSize): Line {
  const shown = shownName(isHidden ? '•'.repeat([...text].length) : text)
  const letters = [...shown]
  while (cellWidth(letters.join(''), ambiguous) > columns - 4) letters.shift()
  return [{ text: isHidden ? '● ' : '› ', tone: 'accent', bold: true }, { text: letters.join('') }, { text: '▏' }]
}

const promptWords = { search: '/', tell: 'Tell me when it prints: ' } as const

/** Returns the last row: the typed text, else the outcome of a key, else the keys. */
function lastRow(view: ProcessView, size: ProcessSize, { isAsked, isLost }: PagerSurroundings): Line {
  const { prompt, typed, note, isStopping, fromEnd } = view
  if (typed !== null) return typedRow(typed, size)
  if (prompt !== null)
    return [
      { text: promptWords[prompt.kind], tone: 'accent', bold: true },
      { text: shownName(prompt.text) },
      { text: '▏' },
    ]
  if (isStopping)
    return [{ text: '⚠ This ends it, with all that it started.', tone: 'bad', bold: true }, muted(' x again stops it.')]
  const asked: Line = isAsked
    ? [{ text: ' A question waits: q shows it ', tone: 'warn', bold: true, inverse: true }, muted('  ')]
    : []
  if (note !== null) return [...asked, { text: shownName(note) }]
  const lost: Line = isLost ? [{ text: 'the server is gone · ', tone: 'warn' }] : []
  const place: Line = fromEnd === 0 ? [] : [muted(`${count(fromEnd)} below · `)]
  const before = [...asked, ...lost, ...place]
  const columns = size.columns - cellWidth(lineText(before), size.ambiguous)
  return [...before, muted(fittingParts(hints, { ...size, columns }))]
}

const hints = ['q leaves', 'i type', '/ search', 't tell me when …', 'x stop', '↑↓ PgUp PgDn', 'End newest']

function muted(text: string): Span {
  return { text, tone: 'muted' }
}
