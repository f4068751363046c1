import type { KeyEvent, KeyPress } from '../keys/key-event.ts'
import type { ComposerCommand } from './command.ts'

type PlainCommand = Exclude<ComposerCommand['kind'], 'insert' | 'paste'>

/**
 * Commands by key: `ctrl+`, `alt+`, `shift+` in this order, then the name. Enter, Escape, Tab and Ctrl+C are handled
 * elsewhere.
 */
const table: Readonly<Record<string, PlainCommand>> = {
  left: 'left',
  'ctrl+b': 'left',
  right: 'right',
  'ctrl+f': 'right',
  'alt+b': 'wordLeft',
  'alt+left': 'wordLeft',
  'ctrl+left': 'wordLeft',
  'alt+f': 'wordRight',
  'alt+right': 'wordRight',
  'ctrl+right': 'wordRight',
  home: 'lineStart',
  'ctrl+a': 'lineStart',
  end: 'lineEnd',
  'ctrl+e': 'lineEnd',
  'ctrl+home': 'textStart',
  'alt+<': 'textStart',
  'ctrl+end': 'textEnd',
  'alt+>': 'textEnd',
  up: 'up',
  'ctrl+p': 'up',
  down: 'down',
  'ctrl+n': 'down',
  backspace: 'deleteBefore',
  'shift+backspace': 'deleteBefore',
  'ctrl+h': 'deleteBefore',
  delete: 'deleteAfter',
  'ctrl+d': 'deleteAfter',
  'alt+backspace': 'killWordBefore',
  'ctrl+backspace': 'killWordBefore',
  'ctrl+w': 'killBlankWordBefore',
  'alt+d': 'killWordAfter',
  'alt+delete': 'killWordAfter',
  'ctrl+delete': 'killWordAfter',
  'ctrl+u': 'killToLineStart',
  'ctrl+k': 'killToLineEnd',
  'ctrl+y': 'yank',
  'ctrl+_': 'undo',
  'ctrl+shift+_': 'undo',
  'ctrl+shift+-': 'undo',
  'ctrl+/': 'undo',
  'shift+enter': 'newline',
  'ctrl+j': 'newline',
}

/** Returns the editing command of an event; null if the composer does not handle it. */
export function commandForKey(event: KeyEvent): ComposerCommand | null {
  if (event.kind === 'text') return { kind: 'insert', text: event.text }
  if (event.kind === 'paste') return { kind: 'paste', text: event.text }
  if (event.kind !== 'key') return null
  const kind = table[chord(event)]
  return kind === undefined ? null : { kind }
}

/** Returns the key as text, for tables and help: `ctrl+alt+shift+name`. */
export function chord({ name, ctrl, alt, shift }: KeyPress): string {
  return `${ctrl ? 'ctrl+' : ''}${alt ? 'alt+' : ''}${shift ? 'shift+' : ''}${name}`
}
