import { isControl } from './sequence.ts'

/** Decoded terminal input. */
export type KeyEvent = TextEvent | KeyPress | PasteEvent | ReplyEvent | IgnoredEvent

/** Printable characters as typed; one event may have several. */
interface TextEvent {
  readonly kind: 'text'
  readonly text: string
}

export interface KeyPress {
  readonly kind: 'key'
  /** Name from the list below, or the lower-case character of a key pressed with Ctrl or Alt. */
  readonly name: NamedKey | (string & {})
  readonly ctrl: boolean
  readonly alt: boolean
  readonly shift: boolean
}

type NamedKey =
  | 'enter'
  | 'tab'
  | 'escape'
  | 'backspace'
  | 'delete'
  | 'insert'
  | 'space'
  | 'up'
  | 'down'
  | 'left'
  | 'right'
  | 'home'
  | 'end'
  | 'pageup'
  | 'pagedown'
  | `f${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12}`

/** Raw text between the paste brackets; the composer cleans it. */
interface PasteEvent {
  readonly kind: 'paste'
  readonly text: string
}

/** Reply of the terminal to a query; never treated as text. */
export interface ReplyEvent {
  readonly kind: 'reply'
  readonly reply: Reply
}

export type Reply =
  | { readonly type: 'cursor'; readonly row: number; readonly column: number }
  | { readonly type: 'kittyFlags'; readonly flags: number }
  | { readonly type: 'attributes'; readonly values: readonly number[] }
  | { readonly type: 'mode'; readonly mode: number; readonly value: number }
  | {
      readonly type: 'colour'
      readonly slot: 'foreground' | 'background'
      readonly rgb: readonly [number, number, number]
    }
  | { readonly type: 'other'; readonly sequence: string }

/** Mouse, focus, key releases and unknown keys. */
export interface IgnoredEvent {
  readonly kind: 'ignored'
  readonly sequence: string
}

export interface Modifiers {
  readonly ctrl: boolean
  readonly alt: boolean
  readonly shift: boolean
}

const unmodified: Modifiers = { ctrl: false, alt: false, shift: false }

export function keyPress(name: KeyPress['name'], modifiers: Partial<Modifiers> = {}): KeyPress {
  return { kind: 'key', name, ...unmodified, ...modifiers }
}

/** Key as reported by `CSI u` and modifyOtherKeys. */
export interface CharacterKey {
  readonly code: number
  /** Code with Shift. */
  readonly shifted?: number
  /** Code of the same key on a US keyboard, for shortcuts on any layout. */
  readonly base?: number
  /** Text the key produces, if the terminal reports it. */
  readonly text?: string
}

const named: Readonly<Record<number, KeyPress['name']>> = {
  8: 'backspace',
  9: 'tab',
  13: 'enter',
  27: 'escape',
  127: 'backspace',
  57414: 'enter',
  57417: 'left',
  57418: 'right',
  57419: 'up',
  57420: 'down',
  57421: 'pageup',
  57422: 'pagedown',
  57423: 'home',
  57424: 'end',
  57425: 'insert',
  57426: 'delete',
}

const keypadFirst = 57399
const keypadCharacters = '0123456789./*-+'

export function characterKey(key: CharacterKey, modifiers: Modifiers): KeyEvent | null {
  const name = named[key.code]
  if (name !== undefined) return keyPress(name, modifiers)
  const keypad = keypadCharacters[key.code - keypadFirst]
  if (keypad !== undefined) return printable(keypad, modifiers)
  if (!isCharacter(key.code)) return null
  if (!modifiers.ctrl && !modifiers.alt) return { kind: 'text', text: typed(key, modifiers) }
  return printable(shortcut(key, modifiers), modifiers)
}

/** Returns a key press for Ctrl or Alt, else text. */
export function printable(character: string, { ctrl, alt, shift }: Modifiers): KeyEvent {
  if (!ctrl && !alt) return { kind: 'text', text: character }
  if (character === ' ') return keyPress('space', { ctrl, alt, shift })
  const name = character.toLowerCase()
  return keyPress(name, { ctrl, alt, shift: shift || name !== character })
}

function typed(key: CharacterKey, { shift }: Modifiers): string {
  if (key.text !== undefined && key.text !== '') return key.text
  const character = String.fromCodePoint(key.code)
  if (!shift) return character
  return key.shifted !== undefined && isCharacter(key.shifted)
    ? String.fromCodePoint(key.shifted)
    : character.toUpperCase()
}

function shortcut({ code, base, shifted }: CharacterKey, { shift }: Modifiers): string {
  if (code > 0x7f && base !== undefined && isCharacter(base)) return String.fromCodePoint(base)
  return String.fromCodePoint(shift && shifted !== undefined && isCharacter(shifted) ? shifted : code)
}

/** Returns false for controls, surrogates and numbers the protocol assigns to keys without a character. */
function isCharacter(code: number): boolean {
  if (code > 0x10ffff || isControl(code)) return false
  return (code < 0xd800 || code > 0xdfff) && (code < 57344 || code > 63743)
}

/** Returns the key of a control character. LF is Ctrl+J; BS is Backspace on some terminals. */
export function controlKey(code: number): KeyEvent {
  switch (code) {
    case 0x00:
      return keyPress('space', { ctrl: true })
    case 0x08:
    case 0x7f:
      return keyPress('backspace')
    case 0x09:
      return keyPress('tab')
    case 0x0d:
      return keyPress('enter')
    case 0x1b:
      return keyPress('escape')
    default:
      return code < 0x20
        ? keyPress(String.fromCharCode(code + 0x40).toLowerCase(), { ctrl: true })
        : { kind: 'ignored', sequence: String.fromCharCode(code) }
  }
}
