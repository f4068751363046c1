import { lineCount } from '@parley/text'
import { cleanInput } from '../text/control-characters.ts'
import { type Paste, stopFrom } from './stops.ts'

/** Text being written, with the caret. Immutable; every edit returns a new one. */
export interface Composer {
  readonly text: string
  /** UTF-16 offset, always between graphemes and never inside the mark of a folded paste. */
  readonly caret: number
  /** Column that consecutive vertical moves aim at, in cells. */
  readonly goal: number | null
  /** Last killed text, for yanking. */
  readonly killed: string
  readonly pastes: readonly Paste[]
  /** Snapshots to undo to, the newest last. */
  readonly past: readonly Snapshot[]
  /** Snapshots that were undone, the next to redo last. */
  readonly future: readonly Snapshot[]
  /** True if the last edit was typing, which more typing extends in the same undo step. */
  readonly typing: boolean
  readonly recall: Recall | null
}

interface Snapshot {
  readonly text: string
  readonly caret: number
}

/** History entry shown, and the draft before it. */
interface Recall {
  readonly index: number
  readonly draft: Snapshot
}

const undoSteps = 200

export const emptyComposer: Composer = {
  text: '',
  caret: 0,
  goal: null,
  killed: '',
  pastes: [],
  past: [],
  future: [],
  typing: false,
  recall: null,
}

interface Replacement {
  readonly start: number
  readonly end: number
  readonly text: string
  readonly typing?: boolean
}

/**
 * Replaces text; `start` and `end` are stops, the caret ends after the new text. Drops control characters and escape
 * sequences, wherever the text comes from.
 */
export function replace(composer: Composer, replacement: Replacement): Composer {
  const { start, end, typing = false } = replacement
  const text = cleanInput(replacement.text)
  if (start === end && text === '') return settle(composer)
  const goesOn = typing && composer.typing && !/^\s/.test(text)
  const past = goesOn ? composer.past : remembered(composer.past, snapshotOf(composer))
  const edited = { ...composer, text: composer.text.slice(0, start) + text + composer.text.slice(end) }
  const caret = stopFrom(edited, start + text.length)
  return { ...edited, caret, goal: null, past, future: [], typing, recall: null }
}

export function insert(composer: Composer, text: string): Composer {
  return replace(composer, { start: composer.caret, end: composer.caret, text, typing: true })
}

export function undo(composer: Composer): Composer {
  const moment = composer.past.at(-1)
  if (moment === undefined) return settle(composer)
  const future = [...composer.future, snapshotOf(composer)]
  return { ...settle(composer), ...moment, past: composer.past.slice(0, -1), future, recall: null }
}

/** Restores what undo took back, until the text is changed otherwise. */
export function redo(composer: Composer): Composer {
  const moment = composer.future.at(-1)
  if (moment === undefined) return settle(composer)
  const past = remembered(composer.past, snapshotOf(composer))
  return { ...settle(composer), ...moment, past, future: composer.future.slice(0, -1), recall: null }
}

/** Clears the text; undo restores it. */
export function clear(composer: Composer): Composer {
  return replace(composer, { start: 0, end: composer.text.length, text: '' })
}

/** Replaces the whole text; undo restores it. The last line end of a file is left out. */
export function rewritten(composer: Composer, text: string): Composer {
  const whole = replace(composer, { start: 0, end: composer.text.length, text: text.replace(/\r?\n$/, '') })
  return { ...whole, caret: whole.text.length }
}

/** Puts unsent text before the current text. */
export function putBack(composer: Composer, text: string): Composer {
  const separator = composer.text === '' || text.endsWith('\n') ? '' : '\n'
  const restored = replace(composer, { start: 0, end: 0, text: text + separator })
  return { ...restored, caret: restored.text.length }
}

/** Ends a run of typing or vertical moves. */
export function settle(composer: Composer): Composer {
  return composer.typing || composer.goal !== null ? { ...composer, typing: false, goal: null } : composer
}

export function remembered(past: readonly Snapshot[], moment: Snapshot): readonly Snapshot[] {
  return [...past, moment].slice(-undoSteps)
}

export function snapshotOf({ text, caret }: Composer): Snapshot {
  return { text, caret }
}

const maxCharacters = 1_000

const maxLines = 10

/**
 * Pastes text at the caret, folding large pastes to a mark. Line ends become LF, tabs stay, escape sequences, controls
 * and bidirectional overrides are dropped.
 */
export function paste(composer: Composer, pasted: string): Composer {
  const text = cleanInput(pasted)
  const at = { start: composer.caret, end: composer.caret }
  if (text.length <= maxCharacters && lineCount(text) <= maxLines) return replace(composer, { ...at, text })
  const { pastes, mark } = withMark(composer.pastes, text)
  return replace({ ...composer, pastes }, { ...at, text: mark })
}

/** Returns the pastes with one of this text, and its mark; the same text keeps its mark. */
function withMark(
  pastes: readonly Paste[],
  text: string,
): { readonly pastes: readonly Paste[]; readonly mark: string } {
  const known = pastes.find((paste) => paste.text === text)
  if (known !== undefined) return { pastes, mark: known.mark }
  const lines = lineCount(text)
  const size = lines > 1 ? `${lines} lines` : `${text.length} characters`
  const mark = `[pasted ${size} #${pastes.length + 1}]`
  return { pastes: [...pastes, { mark, text }], mark }
}

/** Text with marks, and the pastes that they represent. */
export type WithPastes = Pick<Composer, 'text' | 'pastes'>

const pasteMark = /\[pasted \d+ (?:lines|characters) #\d+\]/g

/** Returns the text as sent, every mark replaced by its paste. */
export function expanded({ text, pastes }: WithPastes): string {
  if (pastes.length === 0) return text
  const byMark = new Map(pastes.map((folded) => [folded.mark, folded.text]))
  return text.replace(pasteMark, (mark) => byMark.get(mark) ?? mark)
}

/** Sizes from which a recalled text is folded as a whole, where it is not known what of it was pasted. */
const recalledCharacters = 4_000

const recalledLines = 40

/**
 * Returns an earlier text as it was written, with its pastes folded again and added to the composer's. `sent`: texts
 * that were sent with pastes.
 */
export function foldedAgain(composer: WithPastes, earlier: string, sent: readonly WithPastes[]): WithPastes {
  const entry = cleanInput(earlier)
  const written = sent.findLast((one) => expanded(one) === entry)
  if (written === undefined) {
    if (entry.length <= recalledCharacters && lineCount(entry) <= recalledLines) return { ...composer, text: entry }
    const { pastes, mark } = withMark(composer.pastes, entry)
    return { pastes, text: mark }
  }
  let { pastes } = composer
  const byMark = new Map(written.pastes.map((folded) => [folded.mark, folded.text]))
  const text = written.text.replace(pasteMark, (mark) => {
    const pasted = byMark.get(mark)
    if (pasted === undefined) return mark
    const added = withMark(pastes, pasted)
    pastes = added.pastes
    return added.mark
  })
  return { text, pastes }
}

/** Returns the mark of an attached image; `number` tells images of one name apart. */
export function imageMark(name: string, number: number): string {
  const shown = cleanInput(name).replace(/[\n\t]/g, ' ')
  return number === 1 ? `[image ${shown}]` : `[image ${shown} #${number}]`
}

/** Replaces pasted text by marks of images, where it stands last; null if it is no longer in the text. */
export function foldImages(composer: Composer, pasted: string, marks: readonly string[]): Composer | null {
  const text = cleanInput(pasted)
  const start = composer.text.lastIndexOf(text)
  if (start === -1) return null
  const known = new Set(composer.pastes.map(({ mark }) => mark))
  const folded = marks.filter((mark) => !known.has(mark)).map((mark) => ({ mark, text: mark }))
  const marked = { ...composer, pastes: [...composer.pastes, ...folded] }
  const behind = composer.caret - start - text.length
  const next = replace(marked, { start, end: start + text.length, text: marks.join(' ') })
  return behind > 0 ? { ...next, caret: stopFrom(next, next.caret + behind) } : next
}
