import { cleanInput } from '../../view/text/control-characters.ts'
import { type Paste, stopFrom } from './stops.ts'

/** The text being written and the caret in it. A value: every edit gives a new one. */
export interface Composer {
  readonly text: string
  /** UTF-16 offset, always between two graphemes and never inside the mark of a folded paste. */
  readonly caret: number
  /** Cell that vertical moves aim at while they follow each other. */
  readonly goal: number | null
  /** What was killed last, for yanking. */
  readonly killed: string
  readonly pastes: readonly Paste[]
  /** States to undo to, the newest last. */
  readonly past: readonly Snapshot[]
  /** Whether the last edit was typing, which the next letter goes on in the same undo step. */
  readonly typing: boolean
  readonly recall: Recall | null
}

interface Snapshot {
  readonly text: string
  readonly caret: number
}

/** The history entry that is shown, and what was being written before. */
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
 * The one way text changes: `start` and `end` are stops, the caret comes to stand after the new text. Whoever wrote it
 * (the user, another client, a tool server), controls and escape sequences in it are dropped.
 */
export function replace(composer: Composer, replacement: Replacement): Composer {
  const { start, end, typing = false } = replacement
  const text = cleanInput(replacement.text)
  if (start === end && text === '') return settle(composer)
  const goesOn = typing && composer.typing && !/^\s/.test(text)
  const past = goesOn ? composer.past : remembered(composer.past, snapshotOf(composer))
  const edited = { ...composer, text: composer.text.slice(0, start) + text + composer.text.slice(end) }
  return { ...edited, caret: stopFrom(edited, start + text.length), goal: null, past, typing, recall: null }
}

/** Typed text. */
export function insert(composer: Composer, text: string): Composer {
  return replace(composer, { start: composer.caret, end: composer.caret, text, typing: true })
}

export function undo(composer: Composer): Composer {
  const moment = composer.past.at(-1)
  if (moment === undefined) return settle(composer)
  return { ...settle(composer), ...moment, past: composer.past.slice(0, -1), recall: null }
}

/** Empties the text; undo brings it back. */
export function clear(composer: Composer): Composer {
  return replace(composer, { start: 0, end: composer.text.length, text: '' })
}

/** Puts unsent text back in front of what has been written since. */
export function putBack(composer: Composer, text: string): Composer {
  const separator = composer.text === '' || text.endsWith('\n') ? '' : '\n'
  const restored = replace(composer, { start: 0, end: 0, text: text + separator })
  return { ...restored, caret: restored.text.length }
}

/** Ends what only the next key of the same kind would go on with. */
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
 * Pasted text at the caret. Line ends become LF, tabs stay tabs (a Makefile must arrive as it is), escape sequences,
 * other controls and bidirectional overrides are dropped. A large paste is folded to a mark.
 */
export function paste(composer: Composer, pasted: string): Composer {
  const text = cleanInput(pasted)
  const at = { start: composer.caret, end: composer.caret }
  const lines = countLines(text)
  if (text.length <= maxCharacters && lines <= maxLines) return replace(composer, { ...at, text })
  const size = lines > 1 ? `${lines} lines` : `${text.length} characters`
  const mark = `[pasted ${size} #${composer.pastes.length + 1}]`
  return replace({ ...composer, pastes: [...composer.pastes, { mark, text }] }, { ...at, text: mark })
}

/** The text as it is sent: every mark replaced by what it stands for. */
export function expanded({ text, pastes }: Pick<Composer, 'text' | 'pastes'>): string {
  if (pastes.length === 0) return text
  const byMark = new Map(pastes.map((folded) => [folded.mark, folded.text]))
  return text.replace(/\[pasted \d+ (?:lines|characters) #\d+\]/g, (mark) => byMark.get(mark) ?? mark)
}

function countLines(text: string): number {
  return text.replace(/\n$/, '').split('\n').length
}
