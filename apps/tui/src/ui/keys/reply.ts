import type { IgnoredEvent, Reply, ReplyEvent } from './key-event.ts'

/**
 * Returns the reply in a control sequence; null if it is none. `1;5R` is a cursor report, since F3 is not sent that way
 * in the modes used.
 */
export function csiReply(parameters: string, final: string): ReplyEvent | null {
  const marker = /^[<=>?]/.exec(parameters)?.[0] ?? ''
  const numbers = (parameters.slice(marker.length).match(/\d+/g) ?? []).map(Number)
  const [first = 0, second = 0] = numbers
  if (marker === '<') return null
  if (final === 'R' && numbers.length >= 2) return replied({ type: 'cursor', row: first, column: second })
  if (final === 'y' && parameters.endsWith('$')) return replied({ type: 'mode', mode: first, value: second })
  if (marker === '?' && final === 'u') return replied({ type: 'kittyFlags', flags: first })
  if (marker === '?' && final === 'c') return replied({ type: 'attributes', values: numbers })
  const answers = marker !== '' || final === 'n' || final === 't' || (final === 'c' && parameters !== '')
  return answers ? replied({ type: 'other', sequence: `\x1b[${parameters}${final}` }) : null
}

const slots = { '10': 'foreground', '11': 'background' } as const

/** Returns the reply in a string sequence; privacy messages and starts of strings are ignored. */
export function stringReply(introducer: string, body: string): ReplyEvent | IgnoredEvent {
  if (introducer === '^' || introducer === 'X') return { kind: 'ignored', sequence: `\x1b${introducer}${body}` }
  const colour = /^(10|11);rgba?:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})/i.exec(body)
  if (introducer !== ']' || colour === null) return replied({ type: 'other', sequence: `\x1b${introducer}${body}` })
  const [, slot, red = '', green = '', blue = ''] = colour
  return replied({
    type: 'colour',
    slot: slots[slot === '10' ? '10' : '11'],
    rgb: [channel(red), channel(green), channel(blue)],
  })
}

/** Returns one to four hexadecimal digits scaled to 0-255. */
function channel(digits: string): number {
  return Math.round((Number.parseInt(digits, 16) * 255) / (16 ** digits.length - 1))
}

function replied(reply: Reply): ReplyEvent {
  return { kind: 'reply', reply }
}
