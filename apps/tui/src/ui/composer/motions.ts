import {
  type Composer,
  foldedAgain,
  remembered,
  settle,
  snapshotOf,
  type WithPastes,
} from '@parley/presentation/composer/composer'
import { stopFrom, stopUpTo } from '@parley/presentation/composer/stops'
import type { Room } from '@parley/presentation/text/span'
import { columnAt, composerRows, offsetAt, rowAt } from './layout.ts'

const letter = /[\p{L}\p{N}\p{M}_]/u

/** Returns the start of the word before the caret for Alt+B: letters, digits and underscores. */
export function wordStart(composer: Composer): number {
  return scanBack(composer, (character) => letter.test(character))
}

/** Returns the start of the word before the caret for Ctrl+W: anything but blanks. */
export function blankWordStart(composer: Composer): number {
  return scanBack(composer, (character) => !/\s/.test(character))
}

/** Returns the end of the word at or after the caret. */
export function wordEnd(composer: Composer): number {
  const { text } = composer
  let offset = composer.caret
  while (offset < text.length && !letter.test(characterAt(text, offset))) offset += characterAt(text, offset).length
  while (offset < text.length && letter.test(characterAt(text, offset))) offset += characterAt(text, offset).length
  return stopFrom(composer, offset)
}

/** Returns the start of the caret's line in the text, not on the screen. */
export function lineStart({ text, caret }: Composer): number {
  return caret === 0 ? 0 : text.lastIndexOf('\n', caret - 1) + 1
}

export function lineEnd({ text, caret }: Composer): number {
  const end = text.indexOf('\n', caret)
  return end === -1 ? text.length : end
}

export function moveTo(composer: Composer, caret: number): Composer {
  return caret === composer.caret ? settle(composer) : { ...settle(composer), caret }
}

function scanBack(composer: Composer, inWord: (character: string) => boolean): number {
  const { text } = composer
  let offset = composer.caret
  while (offset > 0 && !inWord(characterBefore(text, offset))) offset -= characterBefore(text, offset).length
  while (offset > 0 && inWord(characterBefore(text, offset))) offset -= characterBefore(text, offset).length
  return stopUpTo(composer, offset)
}

function characterAt(text: string, offset: number): string {
  return String.fromCodePoint(text.codePointAt(offset) ?? 0)
}

function characterBefore(text: string, offset: number): string {
  const pair = text.slice(Math.max(0, offset - 2), offset)
  return (pair.codePointAt(0) ?? 0) > 0xffff ? pair : text.slice(offset - 1, offset)
}

/** Input of vertical moves. */
export interface Surroundings extends Room {
  /** Earlier messages, oldest first. */
  readonly history: readonly string[]
  /** Texts that were sent with pastes. */
  readonly sent?: readonly WithPastes[]
}

/** Moves one row up; from the first row to the previous history entry. */
export function moveUp(composer: Composer, around: Surroundings): Composer {
  return moveRows(composer, -1, around) ?? older(composer, around)
}

/** Moves one row down; from the last row to the next history entry, then to the draft. */
export function moveDown(composer: Composer, around: Surroundings): Composer {
  return moveRows(composer, 1, around) ?? newer(composer, around)
}

/** Moves by one row, past folded pastes; returns null if there is no such row. */
function moveRows(composer: Composer, step: -1 | 1, room: Room): Composer | null {
  const rows = composerRows(composer, room)
  const current = rowAt(rows, composer.caret)
  const target = rows[current + step]
  if (target === undefined) return null
  const goal = composer.goal ?? columnAt(composer.text, rows[current], composer.caret, room)
  const offset = offsetAt(composer.text, target, goal, room)
  const caret = step === 1 ? stopFrom(composer, offset) : stopUpTo(composer, offset)
  return { ...composer, caret, goal, typing: false }
}

/** Shows the previous history entry, or the newest. The draft becomes an undo step. */
function older(composer: Composer, { history, sent }: Surroundings): Composer {
  const index = (composer.recall?.index ?? history.length) - 1
  const entry = history[index]
  if (entry === undefined) return settle(composer)
  const shown = showEntry(composer, entry, sent)
  if (composer.recall !== null) return { ...shown, recall: { ...composer.recall, index } }
  const draft = snapshotOf(composer)
  return { ...shown, past: remembered(composer.past, draft), recall: { index, draft } }
}

/** Shows the next history entry; after the newest comes the draft. */
function newer(composer: Composer, { history, sent }: Surroundings): Composer {
  const { recall } = composer
  if (recall === null) return settle(composer)
  const index = recall.index + 1
  const entry = history[index]
  if (entry === undefined)
    return { ...settle(composer), ...recall.draft, past: composer.past.slice(0, -1), recall: null }
  return { ...showEntry(composer, entry, sent), recall: { ...recall, index } }
}

/** Shows a history entry, cleaned because another client may have sent it. */
function showEntry(composer: Composer, entry: string, sent: readonly WithPastes[] = []): Composer {
  const { text, pastes } = foldedAgain(composer, entry, sent)
  return { ...settle(composer), text, pastes, caret: text.length, future: [] }
}
