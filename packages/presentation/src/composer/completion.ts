import { type AtWord, writtenPath } from './at-word.ts'
import { type Composer, replace } from './composer.ts'

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

/** Puts a completion in the text, the caret behind it. */
export function completed(composer: Composer, { start, end, inserted }: Completion): Composer {
  // A blank that is there already is stepped over.
  const isSpaced = inserted.endsWith(' ') && composer.text[end] === ' '
  return replace(composer, { start, end: isSpaced ? end + 1 : end, text: inserted })
}

export function fileCompletion({ start, end }: AtWord, path: string): Completion {
  return { kind: 'file', text: path, argument: '', about: '', start, end, inserted: writtenPath(path) }
}
