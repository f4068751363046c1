import {
  type CharacterKey,
  characterKey,
  type IgnoredEvent,
  type KeyEvent,
  type KeyPress,
  keyPress,
  type Modifiers,
  type Reply,
  type ReplyEvent,
} from './key-event.ts'
import { isControl } from './sequence.ts'

const byNumber: Readonly<Record<string, KeyPress['name']>> = {
  1: 'home',
  2: 'insert',
  3: 'delete',
  4: 'end',
  5: 'pageup',
  6: 'pagedown',
  7: 'home',
  8: 'end',
  11: 'f1',
  12: 'f2',
  13: 'f3',
  14: 'f4',
  15: 'f5',
  17: 'f6',
  18: 'f7',
  19: 'f8',
  20: 'f9',
  21: 'f10',
  23: 'f11',
  24: 'f12',
}

const byLetter: Readonly<Record<string, KeyPress['name']>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  F: 'end',
  H: 'home',
  M: 'enter',
  P: 'f1',
  Q: 'f2',
  R: 'f3',
  S: 'f4',
}

const keypadFirst = 'j'.charCodeAt(0)
const keypadCharacters = '*+,-./0123456789'

/** Returns a control sequence as a reply, a key, or an ignored event. */
export function csiEvent(parameters: string, final: string): KeyEvent {
  const key = () => (/^[\d:;]*$/.test(parameters) ? csiKey(parameters.split(';'), final) : null)
  return csiReply(parameters, final) ?? key() ?? { kind: 'ignored', sequence: `\x1b[${parameters}${final}` }
}

/** Returns a key of application mode. */
export function ss3Event(parameters: string, final: string): KeyEvent {
  const { ctrl, alt, shift } = readModifiers(parameters.split(';').at(-1))
  const name = byLetter[final]
  if (name !== undefined) return keyPress(name, { ctrl, alt, shift })
  const arrow = byLetter[final.toUpperCase()]
  if ('abcd'.includes(final) && arrow !== undefined) return keyPress(arrow, { ctrl: true })
  const text = keypadCharacters[final.charCodeAt(0) - keypadFirst]
  return text === undefined ? { kind: 'ignored', sequence: `\x1bO${parameters}${final}` } : { kind: 'text', text }
}

function csiKey(fields: readonly string[], final: string): KeyEvent | null {
  const { ours, ...modifiers } = readModifiers(fields[1])
  if (!ours) return null
  if (final === 'u') return characterKey(kittyKey(fields), modifiers)
  if (final === '~' && fields[0] === '27') return characterKey({ code: Number(fields[2] ?? 0) }, modifiers)
  if (final === 'Z') return keyPress('tab', { ...modifiers, shift: true })
  if (final === '~') return namedKey(byNumber[fields[0] ?? ''], modifiers)
  return namedKey(byLetter[final], modifiers) ?? rxvtKey(fields, final)
}

/** Reads `code:shifted:base ; modifiers:event ; text`, most of it optional. */
function kittyKey([code = '', , text = '']: readonly string[]): CharacterKey {
  const [unicode = '', shifted = '', base = ''] = code.split(':')
  const characters = text.split(':').map(Number).filter(isText)
  return {
    code: Number(unicode),
    ...(shifted === '' ? {} : { shifted: Number(shifted) }),
    ...(base === '' ? {} : { base: Number(base) }),
    ...(characters.length === 0
      ? {}
      : { text: characters.map((character) => String.fromCodePoint(character)).join('') }),
  }
}

function isText(codePoint: number): boolean {
  return codePoint >= 0x20 && codePoint <= 0x10ffff && !isControl(codePoint)
}

/** Returns a key of rxvt, which encodes modifiers in the final letter. */
function rxvtKey(fields: readonly string[], final: string): KeyEvent | null {
  const key = byNumber[fields[0] ?? '']
  if (final === '^') return namedKey(key, { ctrl: true })
  if (final === '@') return namedKey(key, { ctrl: true, shift: true })
  return 'abcd'.includes(final) ? namedKey(byLetter[final.toUpperCase()], { shift: true }) : null
}

function namedKey(name: KeyPress['name'] | undefined, modifiers: Partial<Modifiers>): KeyEvent | null {
  return name === undefined ? null : keyPress(name, modifiers)
}

interface Pressed extends Modifiers {
  /** False for a release, and for keys held with Super, Hyper or Meta, which belong to the desktop. */
  readonly ours: boolean
}

/** Reads `modifiers[:event]`: modifiers are bits plus one; event 3 is a release. */
function readModifiers(field: string | undefined): Pressed {
  const [modifiers = '', event] = (field ?? '').split(':')
  const bits = Math.max(0, Number(modifiers || '1') - 1)
  return {
    shift: (bits & 1) !== 0,
    alt: (bits & 2) !== 0,
    ctrl: (bits & 4) !== 0,
    ours: event !== '3' && (bits & 0b111000) === 0,
  }
}

/**
 * Returns the reply in a control sequence; null for other sequences. `1;5R` is read as a report of the cursor: in the
 * keyboard modes that parley sets, terminals send F3 as another sequence.
 */
function csiReply(parameters: string, final: string): ReplyEvent | null {
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
