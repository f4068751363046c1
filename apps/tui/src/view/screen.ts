import type { ApprovalId } from '@parley/protocol'
import { type Caret, caretPosition, type LiveZone, liveRows } from './live-zone.ts'
import { type Line, lineText, type Span, type Tone } from './text/span.ts'
import { cellWidth } from './text/width.ts'
import type { Block } from './transcript/block.ts'

export interface TerminalSize {
  readonly columns: number
  readonly rows: number
}

/** Frame: blocks to append to the transcript, and the live zone below it, which is redrawn. */
export interface Screen {
  /** Blocks new since the previous frame; printed once. */
  readonly settled: readonly Block[]
  readonly live: LiveZone
  /** Caret position; null when there is no text input. */
  readonly caret: Caret | null
  /** Approval that keys can answer while this frame is on the screen. */
  readonly approvalId: ApprovalId | null
  /** True if everything a yes would allow is on the screen, or has been printed. */
  readonly isSeen: boolean
  /** Time at which the frame changes without input, in ms since the epoch. */
  readonly changesAtMs: number | null
}

/** SGR codes from the 16 colours of the terminal's own palette; muted is dim, which no palette hides. */
const toneCodes: Readonly<Record<Tone, number>> = { accent: 36, good: 32, bad: 31, warn: 33, muted: 2 }

/** Returns the line with SGR and OSC 8 sequences; without colours only weight and slant remain. */
export function paintLine(line: Line, colours: boolean): string {
  return line.map((span) => paintSpan(span, colours)).join('')
}

/** Control characters. Spans contain none by contract; this is the last check before the terminal. */
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
 * Returns sequences that erase a live zone whose rows the terminal reflowed at this width; empty if none was. The
 * cursor ends as many rows below the zone's top as the caret was, where the painter expects it. Erases row by row,
 * because tmux copies to its history what is erased at once from the first row on.
 */
export function eraseReflowed({ live, caret: at }: Pick<Screen, 'live' | 'caret'>, columns: number): string {
  const rows = liveRows(live)
  const caret = caretPosition(live, at)
  const heights = rows.map((line) => Math.max(1, Math.ceil(cellWidth(lineText(line)) / columns)))
  const total = heights.reduce((sum, height) => sum + height, 0)
  if (caret === null || total === rows.length) return ''
  const above = heights.slice(0, caret.row).reduce((sum, height) => sum + height, 0)
  const toTop = above + Math.floor(caret.column / columns)
  const erased = Array.from({ length: total }, () => '\x1b[2K').join('\x1b[1B')
  return `\r${move(toTop, 'A')}${erased}${move(total - 1, 'A')}${move(caret.row, 'B')}`
}

function move(rows: number, direction: 'A' | 'B'): string {
  return rows > 0 ? `\x1b[${rows}${direction}` : ''
}
