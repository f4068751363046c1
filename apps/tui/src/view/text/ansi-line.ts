import { stripEffects } from '@parley/presentation/text/control-characters'
import type { Line, Span, Style, Tone } from '@parley/presentation/text/span'

/** Roles of the colours 0-7 of a terminal's palette. */
const tones: readonly (Tone | null)[] = [null, 'bad', 'good', 'warn', 'accent', 'code-keyword', 'accent', null]

/** Returns a line of another program as spans: colours become roles of ours, everything else but text goes. */
export function ansiLine(text: string): Line {
  const line: Span[] = []
  let style: Style = {}
  // The odd parts are the parameters of the colour sequence between two texts.
  for (const [index, part] of text.split(/\x1b\[([\d;:]*)m/).entries()) {
    if (index % 2 === 1) style = styled(style, part)
    else if (stripEffects(part) !== '') line.push({ ...style, text: stripEffects(part) })
  }
  return line
}

function styled(before: Style, parameters: string): Style {
  let style = before
  const codes = parameters.split(';').map((code) => Number(code.split(':')[0]))
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0
    // A colour of the large palette or of 24 bits has its numbers behind it.
    if ((code === 38 || code === 48) && !parameters.includes(':')) at += codes[at + 1] === 2 ? 4 : 2
    else style = withCode(style, code)
  }
  return style
}

function withCode(style: Style, code: number): Style {
  const change = changes[code]
  if (change !== undefined) return change(style)
  const colour = code >= 30 && code <= 37 ? code - 30 : code >= 91 && code <= 97 ? code - 90 : null
  return colour === null ? style : toned(style, tones[colour] ?? null)
}

const changes: Readonly<Record<number, (style: Style) => Style>> = {
  0: () => ({}),
  1: (style) => ({ ...style, bold: true }),
  2: (style) => toned(style, 'muted'),
  3: (style) => ({ ...style, italic: true }),
  4: (style) => ({ ...style, underline: true }),
  22: ({ bold: _, ...style }) => (style.tone === 'muted' ? toned(style, null) : style),
  39: (style) => toned(style, null),
  90: (style) => toned(style, 'muted'),
}

function toned({ tone: _, ...style }: Style, tone: Tone | null): Style {
  return tone === null ? style : { ...style, tone }
}
