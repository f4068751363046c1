import type { Line, Span, Tone } from './span.ts'

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
