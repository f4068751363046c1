import { type Line, lineText, type Span, type Tone } from './text/span.ts'
import { cellWidth } from './text/width.ts'
import type { Block } from './transcript/block.ts'

export interface TerminalSize {
  readonly columns: number
  readonly rows: number
}

/** What is to be on the screen: blocks to add to the transcript, and the rows below it that are drawn anew. */
export interface Screen {
  /** New since the screen before; printed once. */
  readonly settled: readonly Block[]
  /** At most `rows - 2` of them. */
  readonly live: readonly Line[]
  /** Where the caret is, within `live`; null when there is nothing to write. */
  readonly caret: Caret | null
  /** The approval that can be answered by what is painted. */
  readonly approvalId: string | null
  /** All of what a yes to it would allow is on the screen, or has been printed. */
  readonly isSeen: boolean
  /** When the screen changes by time alone, in ms since the epoch. */
  readonly changesAtMs: number | null
}

export interface Caret {
  readonly row: number
  readonly column: number
}

/** Colours of the 16 that every terminal has, by its own palette; muted is dim, which no palette hides. */
const toneCodes: Readonly<Record<Tone, number>> = { accent: 36, good: 32, bad: 31, warn: 33, muted: 2 }

/** The line with the terminal's own escape sequences; without colours only weight and slant remain. */
export function paintLine(line: Line, colours: boolean): string {
  return line.map((span) => paintSpan(span, colours)).join('')
}

/** No span has any by its contract. Should one come by a way that was forgotten, it stops here. */
const control = /[\x00-\x1f\x7f-\x9f]/
const controls = /[\x00-\x1f\x7f-\x9f]+/g

function paintSpan(given: Span, colours: boolean): string {
  const span = control.test(given.text) ? { ...given, text: given.text.replace(controls, ' ') } : given
  const codes = codesOf(span, colours)
  const text = codes.length === 0 ? span.text : `\x1b[${codes.join(';')}m${span.text}\x1b[0m`
  return span.href === undefined || control.test(span.href) ? text : `\x1b]8;;${span.href}\x1b\\${text}\x1b]8;;\x1b\\`
}

function codesOf(span: Span, colours: boolean): readonly number[] {
  const codes: number[] = []
  if (span.bold) codes.push(1)
  if (span.dim) codes.push(2)
  if (span.italic) codes.push(3)
  if (span.underline) codes.push(4)
  if (span.strike) codes.push(9)
  const tone = span.tone ?? (span.code ? 'accent' : undefined)
  if (tone !== undefined && (colours || tone === 'muted')) codes.push(toneCodes[tone])
  return codes
}

/**
 * Erases a live zone whose rows the terminal has broken anew at this width, and leaves the cursor as many rows below
 * the zone's top as the caret was: where its painter believes it to be. Nothing if no row was broken.
 *
 * Row by row, since tmux keeps in its history what is erased from the screen's first row on at once.
 */
export function eraseReflowed({ live, caret }: Pick<Screen, 'live' | 'caret'>, columns: number): string {
  const heights = live.map((line) => Math.max(1, Math.ceil(cellWidth(lineText(line)) / columns)))
  const total = heights.reduce((sum, height) => sum + height, 0)
  if (caret === null || total === live.length) return ''
  const above = heights.slice(0, caret.row).reduce((sum, height) => sum + height, 0)
  const toTop = above + Math.floor(caret.column / columns)
  const erased = Array.from({ length: total }, () => '\x1b[2K').join('\x1b[1B')
  return `\r${move(toTop, 'A')}${erased}${move(total - 1, 'A')}${move(caret.row, 'B')}`
}

function move(rows: number, direction: 'A' | 'B'): string {
  return rows > 0 ? `\x1b[${rows}${direction}` : ''
}
