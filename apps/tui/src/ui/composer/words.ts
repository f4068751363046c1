import { type Composer, settle } from './composer.ts'
import { stopFrom, stopUpTo } from './stops.ts'

const letter = /[\p{L}\p{N}\p{M}_]/u

/** Start of the word before the caret, as Alt+B sees words: letters, digits and underscores. */
export function wordStart(composer: Composer): number {
  return scanBack(composer, (character) => letter.test(character))
}

/** Start of the word before the caret, as Ctrl+W sees words: anything but blanks. */
export function blankWordStart(composer: Composer): number {
  return scanBack(composer, (character) => !/\s/.test(character))
}

/** End of the word at or after the caret. */
export function wordEnd(composer: Composer): number {
  const { text } = composer
  let offset = composer.caret
  while (offset < text.length && !letter.test(characterAt(text, offset))) offset += characterAt(text, offset).length
  while (offset < text.length && letter.test(characterAt(text, offset))) offset += characterAt(text, offset).length
  return stopFrom(composer, offset)
}

/** Start of the caret's line, in the text and not on the screen. */
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
