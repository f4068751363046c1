import { type Line, lineText, narrowed, type Room, type Span, type Tone } from '@parley/presentation/text/span'
import { cellWidth } from '@parley/presentation/text/width'
import { type Clip, clipRows, foldHint, wrapLine, wrapLines } from '../text/fit-rows.ts'

interface Head {
  readonly mark: Pick<Span, 'text'> & { readonly tone: Tone }
  /** Word before the title; null for a title without one. */
  readonly verb: string | null
  readonly lines: readonly Line[]
  /** Shown at the right end of the first row that has room. */
  readonly facts: readonly Span[]
}

/** Rows of a title, such as a command of many lines. */
const titleClip: Clip = { head: 8, tail: 2, hint: foldHint }
/** Column at which facts end in a wide window. */
const factColumns = 100
/** Cells between title and facts. */
const leastGap = 2
/** Columns from which further rows of the title stand below its first word. */
const roomyColumns = 40

/** Returns the first rows of a call: mark, word, title, and facts at the right. */
export function headRows({ mark, verb, lines, facts }: Head, room: Room): readonly Line[] {
  const lead: Line = [
    { text: `${mark.text} `, tone: mark.tone, bold: true },
    ...(verb === null ? [] : [{ text: `${verb}  `, bold: true } as const]),
  ]
  const hang = room.columns < roomyColumns ? leastGap : cellsOf(lead, room)
  const [first = [], ...others] = lines
  const inner = narrowed(room, hang)
  const rows = [...wrapLine([...lead, ...first], { ...room, hang }), ...shifted(wrapLines(others, inner), hang)]
  return withFacts(clipRows(rows, titleClip), facts, { room, hang })
}

function shifted(rows: readonly Line[], cells: number): readonly Line[] {
  return rows.map((row): Line => (row.length === 0 ? row : [{ text: ' '.repeat(cells) }, ...row]))
}

/** Adds the facts to the first or the last row, whichever has room, else as rows of their own. */
function withFacts(
  rows: readonly Line[],
  facts: readonly Span[],
  { room, hang }: { readonly room: Room; readonly hang: number },
): readonly Line[] {
  if (facts.length === 0) return rows
  const at = [0, rows.length - 1].find((index) => gapAfter(rows[index] ?? [], facts, room) >= leastGap)
  if (at === undefined) return [...rows, ...shifted(wrapLine(facts, narrowed(room, hang)), hang)]
  return rows.map((row, index) => (index === at ? aligned(row, facts, room) : row))
}

function aligned(row: Line, facts: readonly Span[], room: Room): Line {
  return [...row, { text: ' '.repeat(gapAfter(row, facts, room)) }, ...facts]
}

/** Returns the blanks that put the facts at the right; in a wide window, after a long row, fewer than two. */
function gapAfter(row: Line, facts: readonly Span[], room: Room): number {
  const used = cellsOf(row, room) + cellsOf(facts, room)
  const gap = Math.min(room.columns, factColumns) - used
  return gap >= leastGap ? gap : Math.min(leastGap, room.columns - used)
}

function cellsOf(line: Line, room: Room): number {
  return cellWidth(lineText(line), room.ambiguous)
}
