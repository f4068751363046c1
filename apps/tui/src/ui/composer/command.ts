import { type Composer, insert, paste, redo, replace, undo } from '@parley/presentation/composer/composer'
import { stopAfter, stopBefore } from '@parley/presentation/composer/stops'
import { type EditingCommand, editingKeys } from '../keys/editing-keys.ts'
import type { KeyEvent, KeyPress } from '../keys/key-event.ts'
import {
  blankWordStart,
  lineEnd,
  lineStart,
  moveDown,
  moveTo,
  moveUp,
  type Surroundings,
  wordEnd,
  wordStart,
} from './motions.ts'

export type ComposerCommand =
  | { readonly kind: 'insert' | 'paste'; readonly text: string }
  | { readonly kind: EditingCommand }

const commands: Readonly<Record<EditingCommand, (composer: Composer, around: Surroundings) => Composer>> = {
  left: (composer) => moveTo(composer, stopBefore(composer, composer.caret)),
  right: (composer) => moveTo(composer, stopAfter(composer, composer.caret)),
  wordLeft: (composer) => moveTo(composer, wordStart(composer)),
  wordRight: (composer) => moveTo(composer, wordEnd(composer)),
  lineStart: (composer) => moveTo(composer, lineStart(composer)),
  lineEnd: (composer) => moveTo(composer, lineEnd(composer)),
  textStart: (composer) => moveTo(composer, 0),
  textEnd: (composer) => moveTo(composer, composer.text.length),
  up: (composer, around) => moveUp(composer, around),
  down: (composer, around) => moveDown(composer, around),
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
  redo,
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

const commandsByKey: ReadonlyMap<string, EditingCommand> = new Map(
  editingKeys.flatMap(({ keys, command }) => keys.map((key) => [key, command] as const)),
)

/** Returns the editing command of an event; null if the composer does not handle it. */
export function commandForKey(event: KeyEvent): ComposerCommand | null {
  if (event.kind === 'text') return { kind: 'insert', text: event.text }
  if (event.kind === 'paste') return { kind: 'paste', text: event.text }
  if (event.kind !== 'key') return null
  const kind = commandsByKey.get(chord(event))
  return kind === undefined ? null : { kind }
}

/** Returns the key as text, for tables and help: `ctrl+alt+shift+name`. */
export function chord({ name, ctrl, alt, shift }: KeyPress): string {
  return `${ctrl ? 'ctrl+' : ''}${alt ? 'alt+' : ''}${shift ? 'shift+' : ''}${name}`
}
