import { type Composer, emptyComposer, replace } from './composer.ts'
import { expanded } from './paste.ts'

export type Submission =
  | { readonly kind: 'send'; readonly text: string; readonly composer: Composer }
  | { readonly kind: 'newline'; readonly composer: Composer }
  | { readonly kind: 'nothing' }

/** Enter: sends what is written, or, after a backslash at the line's end, turns that backslash into a line end. */
export function submit(composer: Composer): Submission {
  const { text, caret } = composer
  const atLineEnd = caret === text.length || text[caret] === '\n'
  if (atLineEnd && text[caret - 1] === '\\') {
    return { kind: 'newline', composer: replace(composer, { start: caret - 1, end: caret, text: '\n' }) }
  }
  if (text.trim() === '') return { kind: 'nothing' }
  return { kind: 'send', text: expanded(composer), composer: { ...emptyComposer, killed: composer.killed } }
}
