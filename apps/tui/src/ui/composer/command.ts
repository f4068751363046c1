import type { Room } from '../../view/text/span.ts'
import type { KeyEvent, KeyPress } from '../keys/key-event.ts'
import { type Composer, clear, insert, paste, replace, stopAfter, stopBefore, undo } from './composer.ts'
import { blankWordStart, lineEnd, lineStart, moveDown, moveTo, moveUp, wordEnd, wordStart } from './motions.ts'

/** Editing command of a key. */
export type ComposerCommand =
  | { readonly kind: 'insert' | 'paste'; readonly text: string }
  | { readonly kind: Motion | Deletion | 'newline' | 'yank' | 'undo' | 'clear' }

type Motion =
  | 'left'
  | 'right'
  | 'wordLeft'
  | 'wordRight'
  | 'lineStart'
  | 'lineEnd'
  | 'textStart'
  | 'textEnd'
  | 'up'
  | 'down'

type Deletion =
  | 'deleteBefore'
  | 'deleteAfter'
  | 'killWordBefore'
  | 'killBlankWordBefore'
  | 'killWordAfter'
  | 'killToLineStart'
  | 'killToLineEnd'

/** Input of vertical moves. */
export interface Surroundings extends Room {
  /** Earlier messages, oldest first. */
  readonly history: readonly string[]
}

const commands: Readonly<
  Record<Exclude<ComposerCommand['kind'], 'insert' | 'paste'>, (composer: Composer, around: Surroundings) => Composer>
> = {
  left: (composer) => moveTo(composer, stopBefore(composer, composer.caret)),
  right: (composer) => moveTo(composer, stopAfter(composer, composer.caret)),
  wordLeft: (composer) => moveTo(composer, wordStart(composer)),
  wordRight: (composer) => moveTo(composer, wordEnd(composer)),
  lineStart: (composer) => moveTo(composer, lineStart(composer)),
  lineEnd: (composer) => moveTo(composer, lineEnd(composer)),
  textStart: (composer) => moveTo(composer, 0),
  textEnd: (composer) => moveTo(composer, composer.text.length),
  up: (composer, around) => moveUp(composer, around, around.history),
  down: (composer, around) => moveDown(composer, around, around.history),
  deleteBefore: (composer) => deleteTo(composer, stopBefore(composer, composer.caret)),
  deleteAfter: (composer) => deleteTo(composer, stopAfter(composer, composer.caret)),
  killWordBefore: (composer) => killTo(composer, wordStart(composer)),
  killBlankWordBefore: (composer) => killTo(composer, blankWordStart(composer)),
  killWordAfter: (composer) => killTo(composer, wordEnd(composer)),
  killToLineStart,
  killToLineEnd,
  newline: (composer) => replace(composer, { start: composer.caret, end: composer.caret, text: '\n' }),
  yank,
  undo,
  clear,
}

export function applyCommand(composer: Composer, command: ComposerCommand, around: Surroundings): Composer {
  if (command.kind === 'insert') return insert(composer, command.text)
  if (command.kind === 'paste') return paste(composer, command.text)
  return commands[command.kind](composer, around)
}

/** Deletes to the offset in either direction and keeps the text for yanking. */
function killTo(composer: Composer, offset: number): Composer {
  const start = Math.min(offset, composer.caret)
  const end = Math.max(offset, composer.caret)
  const killed = composer.text.slice(start, end)
  return replace(killed === '' ? composer : { ...composer, killed }, { start, end, text: '' })
}

function deleteTo(composer: Composer, offset: number): Composer {
  return replace(composer, {
    start: Math.min(offset, composer.caret),
    end: Math.max(offset, composer.caret),
    text: '',
  })
}

/** Kills to the line's end, or the line end itself, so that repeating it continues. */
function killToLineEnd(composer: Composer): Composer {
  const end = lineEnd(composer)
  return killTo(composer, end === composer.caret ? Math.min(end + 1, composer.text.length) : end)
}

function killToLineStart(composer: Composer): Composer {
  const start = lineStart(composer)
  return killTo(composer, start === composer.caret ? Math.max(start - 1, 0) : start)
}

function yank(composer: Composer): Composer {
  return replace(composer, { start: composer.caret, end: composer.caret, text: composer.killed })
}

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
