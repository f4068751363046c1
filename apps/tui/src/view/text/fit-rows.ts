import { count } from '@parley/presentation/text/formats'
import { graphemes } from '@parley/presentation/text/graphemes'
import { type Line, lineText, type Room, type Span, sliceLine } from '@parley/presentation/text/span'
import { cellWidth, graphemeWidth } from '@parley/presentation/text/width'

/** Row of wrapped text as UTF-16 offsets, without gaps; blanks that did not fit hang at a row's end. */
export interface RowRange {
  readonly start: number
  readonly end: number
}

interface Breaking {
  /** Returns the cells of the row with this index. */
  readonly columnsOf: (row: number) => number
  readonly measure: (grapheme: string) => number
  /** `word` keeps words whole where it can; `anywhere` fills every row. */
  readonly mode: 'word' | 'anywhere'
}

/** Punctuation that must not begin a row in East Asian text. */
const closing = '、。，．・：；？！）」』】〉》〕］｝”’…'

/** Offset in a row, with the cells before it. */
interface BreakPoint {
  readonly offset: number
  readonly column: number
}

interface Pass {
  readonly rows: RowRange[]
  start: number
  at: BreakPoint
  /** Last place at which the row may end; the start of the row before the first such place. */
  opportunity: BreakPoint
}

/** Returns the rows of one line, at least one; a grapheme wider than its row gets its own row. */
export function breakRows(text: string, breaking: Breaking): readonly RowRange[] {
  const origin: BreakPoint = { offset: 0, column: 0 }
  const pass: Pass = { rows: [], start: 0, at: origin, opportunity: origin }
  let indenting = true
  let afterWide = false
  for (const grapheme of graphemes(text)) {
    const width = breaking.measure(grapheme)
    const blank = grapheme === ' ' || grapheme === '\t'
    if ((width === 2 || afterWide) && !indenting && !closing.includes(grapheme)) pass.opportunity = pass.at
    if (!blank) fit(pass, width, breaking)
    indenting &&= blank
    pass.at = { offset: pass.at.offset + grapheme.length, column: pass.at.column + width }
    if (!indenting && blank) pass.opportunity = pass.at
    afterWide = width === 2
  }
  pass.rows.push({ start: pass.start, end: text.length })
  return pass.rows
}

/** Ends rows until `width` more cells fit: first where a word began, else at the current place. */
function fit(pass: Pass, width: number, { columnsOf, mode }: Breaking): void {
  const overflows = () => pass.at.column + width > columnsOf(pass.rows.length)
  if (mode === 'word' && overflows() && pass.opportunity.offset > pass.start) endRow(pass, pass.opportunity)
  if (overflows() && pass.at.offset > pass.start) endRow(pass, pass.at)
}

function endRow(pass: Pass, end: BreakPoint): void {
  pass.rows.push({ start: pass.start, end: end.offset })
  pass.start = end.offset
  pass.at = { offset: pass.at.offset, column: pass.at.column - end.column }
  pass.opportunity = { offset: end.offset, column: 0 }
}

interface Wrapping extends Room {
  readonly mode?: Breaking['mode']
  /** Indentation of continuation rows in cells; by default the line's own. */
  readonly hang?: number
}

/** Wraps the line; continuation rows keep its indentation, blanks at a break are dropped. */
export function wrapLine(line: Line, wrapping: Wrapping): readonly Line[] {
  const text = lineText(line)
  if (cellWidth(text, wrapping.ambiguous) <= wrapping.columns) return [line]
  const hang = Math.min(wrapping.hang ?? text.search(/[^ ]|$/), Math.floor(wrapping.columns / 2))
  const rows = breakRows(text, {
    columnsOf: (row) => (row === 0 ? wrapping.columns : wrapping.columns - hang),
    measure: (grapheme) => graphemeWidth(grapheme, wrapping.ambiguous),
    mode: wrapping.mode ?? 'word',
  })
  return rows.map(({ start, end }, index) => {
    const visible = sliceLine(line, start, start + text.slice(start, end).trimEnd().length)
    return index === 0 || hang === 0 ? visible : [{ text: ' '.repeat(hang) }, ...visible]
  })
}

export function wrapLines(lines: readonly Line[], wrapping: Wrapping): readonly Line[] {
  return lines.flatMap((line) => wrapLine(line, wrapping))
}

/** Mark before the rows of a long line after the first. */
const goesOn: Span = { text: '↪ ', tone: 'muted' }

/** Wraps the line; rows after the first begin with a mark, which tells them from lines of their own. */
export function wrapMarked(line: Line, room: Room, mode: Breaking['mode']): readonly Line[] {
  const hang = cellWidth(goesOn.text, room.ambiguous)
  return wrapLine(line, { ...room, mode, hang }).map((row, index) =>
    index === 0 || hang > room.columns / 2 ? row : [goesOn, ...row.slice(1)],
  )
}

/** Words behind a count of folded rows: the key that shows them. */
export const foldHint = ' (Ctrl+O)'

export interface Clip {
  readonly head: number
  readonly tail: number
  /** Text after the count, e.g. how to see the rest. */
  readonly hint?: string
  /** Rows beside these that are not shown either. */
  readonly alsoHidden?: number
}

/** Returns the rows if they fit, else their beginning and end with the count of hidden rows between. */
export function clipRows(rows: readonly Line[], { head, tail, hint = '', alsoHidden = 0 }: Clip): readonly Line[] {
  const hidden = rows.length - head - tail
  // Replacing one row of text by a row with its count would save nothing.
  if (hidden <= 1) return alsoHidden === 0 ? rows : [...rows, hiddenRow(alsoHidden, hint)]
  return [...rows.slice(0, head), hiddenRow(hidden + alsoHidden, hint), ...lastRows(rows, tail)]
}

/** Returns the row that counts hidden ones. */
export function hiddenRow(hidden: number, hint = ''): Line {
  return [{ text: `… ${count(hidden)} more ${hidden === 1 ? 'line' : 'lines'}${hint}`, tone: 'muted' }]
}

export function lastRows<Row>(rows: readonly Row[], limit: number): readonly Row[] {
  return limit <= 0 ? [] : rows.slice(-limit)
}

/** Returns the first parts, with a dot between, as far as they fit whole; the first one in any case. */
export function fittingParts(parts: readonly string[], { columns, ambiguous }: Room): string {
  const [first = '', ...others] = parts
  return others.reduce(
    ({ text, isFull }, part) => {
      const longer = `${text} · ${part}`
      return isFull || cellWidth(longer, ambiguous) > columns ? { text, isFull: true } : { text: longer, isFull }
    },
    { text: first, isFull: false },
  ).text
}
