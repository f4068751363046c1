import type { ApprovalId } from '@parley/protocol'
import type { Caret, LiveZone } from './live-zone.ts'
import type { Line, Span, Tone } from './text/span.ts'
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
  if (span.inverse) codes.push(7)
  if (span.strike) codes.push(9)
  const tone = span.tone ?? (span.code ? 'accent' : undefined)
  if (tone !== undefined && (colours || tone === 'muted')) codes.push(toneCodes[tone])
  return codes
}
