import type { Line, Style } from '@parley/presentation/text/span'

/** Looks of lines by their beginning. Only lines of parley begin at the margin, so that no text of others is taken for one. */
const looks: readonly (readonly [beginning: RegExp, style: Style])[] = [
  [/^(?:Error:|The server ended)/, { tone: 'bad', bold: true }],
  [/^(?:Warning:|Approved, not started)/, { tone: 'warn' }],
  [/^Question\b/, { tone: 'warn', bold: true }],
  [/^(?:Ran|Called|Edited|You ran|Not \w+) .*; (?:exit \d|failed|ended by|denied|interrupted)/, { tone: 'bad' }],
  [/^(?:You|Rule to add to [^\n]*|Field): /, { tone: 'accent' }],
  [/^(?:Limits|Plan|Thought|Looked at|Type|In |Asked because|done|stopped|failed)\b/, { tone: 'muted' }],
]

/** Returns the line with the colour of its meaning. */
export function tintLine(text: string): Line {
  const found = looks.find(([beginning]) => beginning.test(text))
  return [found === undefined ? { text } : { text, ...found[1] }]
}
