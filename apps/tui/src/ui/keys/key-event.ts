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
