import { type AtWord, atWordAt, writtenPath } from './complete/at-word.ts'
import type { FileList } from './complete/file-list.ts'
import { matchPaths } from './complete/match-paths.ts'
import { type Composer, replace } from './composer/composer.ts'
import { argumentsFor, completionsFor } from './slash-commands.ts'
import type { UiState } from './ui-state.ts'

/** Row of the list below the composer, which completes the text. */
export interface Completion {
  readonly kind: 'command' | 'argument' | 'file'
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
export function completionsOf({ composer, dismissed, purpose, search, files }: UiState): readonly Completion[] {
  if (purpose.kind !== 'message' || search !== null || composer.text === dismissed) return []
  const word = atWordAt(composer)
  return word === null ? commandCompletions(composer.text) : fileCompletions(word, files)
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
  const found = matchPaths(files, word.query).map((path) => ({
    kind: 'file' as const,
    text: path,
    argument: '',
    about: '',
    start: word.start,
    end: word.end,
    inserted: writtenPath(path),
  }))
  last = { files, word, found }
  return found
}
