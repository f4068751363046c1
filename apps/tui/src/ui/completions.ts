import type { FileList } from '@parley/text'
import { matchPaths } from '@parley/text'
import { type AtWord, atWordAt, writtenPath } from './complete/at-word.ts'
import { type NamedPart, partsAt } from './complete/part-word.ts'
import { type Composer, replace } from './composer/composer.ts'
import { argumentsFor, completionsFor } from './slash-commands.ts'
import type { UiState } from './ui-state.ts'

/** Row of the list below the composer, which completes the text. */
export interface Completion {
  readonly kind: 'command' | 'argument' | 'file' | 'skill'
  readonly text: string
  /** Arguments of a command, shown after it. */
  readonly argument: string
  readonly about: string
  /** Range of the text that it replaces. */
  readonly start: number
  readonly end: number
  readonly inserted: string
}

/** Returns the completions for the text in the composer. */
export function completionsOf({ composer, dismissed, purpose, search, files, parts }: UiState): readonly Completion[] {
  if (purpose.kind !== 'message' || search !== null || composer.text === dismissed) return []
  const word = atWordAt(composer)
  if (word !== null) return fileCompletions(word, files)
  const commands = commandCompletions(composer.text)
  const named = partsAt(composer, parts).filter(({ written }) => !commands.some(({ text }) => text === written))
  return [...commands, ...named.map(partCompletion)]
}

/** Returns the completion of a command or skill: one that stands for the whole text is entered as a command is. */
function partCompletion({ written, argument, about, start, end }: NamedPart): Completion {
  const kind = written.startsWith('/') ? 'command' : 'skill'
  return { kind, text: written, argument, about, start, end, inserted: `${written} ` }
}

export function chosenCompletion(ui: UiState): Completion | null {
  const list = completionsOf(ui)
  return list[Math.min(ui.choice, list.length - 1)] ?? null
}

/** Puts a completion in the text, the caret behind it. */
export function completed(composer: Composer, { start, end, inserted }: Completion): Composer {
  // A blank that is there already is stepped over.
  const isSpaced = inserted.endsWith(' ') && composer.text[end] === ' '
  return replace(composer, { start, end: isSpaced ? end + 1 : end, text: inserted })
}

/** Returns true if the text already is what the completion would make of it. */
export function isWritten({ text }: Composer, { start, end, inserted }: Completion): boolean {
  return text.slice(start, end) === inserted.trimEnd()
}

function commandCompletions(text: string): readonly Completion[] {
  const commands = completionsFor(text).map(({ name, argument, about }) => ({
    kind: 'command' as const,
    text: `/${name}`,
    argument,
    about,
    start: 0,
    end: text.length,
    inserted: `/${name} `,
  }))
  if (commands.length > 0) return commands
  const start = text.lastIndexOf(' ') + 1
  return argumentsFor(text).map(({ key, detail }) => ({
    kind: 'argument',
    text: key,
    argument: '',
    about: detail,
    start,
    end: text.length,
    inserted: key,
  }))
}

/** Last list of files and what it was asked: layout and keys ask the same several times a frame. */
let last: { readonly files: FileList; readonly word: AtWord; readonly found: readonly Completion[] } | null = null

function fileCompletions(word: AtWord, files: FileList | null): readonly Completion[] {
  if (files === null) return []
  const isSame = last?.files === files && last.word.query === word.query && last.word.start === word.start
  if (last !== null && isSame && last.word.end === word.end) return last.found
  const found = matchPaths(files, word.query).map((path) => fileCompletion(word, path))
  last = { files, word, found }
  return found
}

/** Returns the completion of a path that is being written. */
export function fileCompletion({ start, end }: AtWord, path: string): Completion {
  return { kind: 'file', text: path, argument: '', about: '', start, end, inserted: writtenPath(path) }
}
