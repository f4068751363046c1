import type { Line, Span } from '@parley/presentation/text/span'
import type { AmbiguousWidth } from '@parley/presentation/text/width'
import type { ApprovalId } from '@parley/protocol'
import type { Caret, LiveZone } from './live-zone.ts'
import type { Theme } from './text/theme.ts'
import type { TranscriptBlock } from './transcript/block.ts'

export interface TerminalSize {
  readonly columns: number
  readonly rows: number
}

/** Frame: blocks to append to the transcript, and the live zone below it, which is redrawn. */
export interface Screen {
  /** Blocks new since the previous frame; printed once. */
  readonly settled: readonly TranscriptBlock[]
  readonly live: LiveZone
  /** Caret position; null when there is no text input. */
  readonly caret: Caret | null
  /** Approval that keys can answer while this frame is on the screen. */
  readonly approvalId: ApprovalId | null
  /** True if everything a yes would allow is on the screen, or has been printed. */
  readonly isSeen: boolean
  /** Time at which the frame changes without input, in ms since the epoch. */
  readonly changesAtMs: number | null
  readonly theme: Theme
  readonly ambiguous: AmbiguousWidth
}

/** Returns the line with SGR and OSC 8 sequences. */
export function paintLine(line: Line, theme: Theme): string {
  return shownLine(line, theme)
    .map((span) => paintSpan(span, theme))
    .join('')
}

/** Returns the line as it is painted: blanks at its end go where the theme has no background. */
function shownLine(line: Line, theme: Theme): Line {
  const last = theme.hasTints ? undefined : line.at(-1)
  return last?.ground !== undefined && last.text.trim() === '' ? line.slice(0, -1) : line
}

/** Control characters. Spans have no controls by contract; this is the last check before the terminal. */
const control = /[\x00-\x1f\x7f-\x9f]/
const controls = /[\x00-\x1f\x7f-\x9f]+/g

function paintSpan(given: Span, theme: Theme): string {
  const span = control.test(given.text) ? { ...given, text: given.text.replace(controls, ' ') } : given
  const codes = codesOf(span, theme)
  const text = codes.length === 0 ? span.text : `\x1b[${codes.join(';')}m${span.text}\x1b[0m`
  return span.href === undefined || control.test(span.href) ? text : `\x1b]8;;${span.href}\x1b\\${text}\x1b]8;;\x1b\\`
}

const weights = { bold: '1', dim: '2', italic: '3', underline: '4', inverse: '7', strike: '9' } as const
const weightNames = ['bold', 'dim', 'italic', 'underline', 'inverse', 'strike'] as const

function codesOf(span: Span, theme: Theme): readonly string[] {
  const codes: string[] = weightNames.flatMap((name) => (span[name] ? [weights[name]] : []))
  if (span.ground !== undefined) codes.push(theme.grounds[span.ground])
  const tone = span.tone ?? (span.code ? 'accent' : undefined)
  const isCovered = span.ground !== undefined && !theme.hasTints
  if (tone !== undefined && !(isCovered && tone.startsWith('code-'))) codes.push(theme.tones[tone])
  return codes.filter((code) => code !== '')
}
