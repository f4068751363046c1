/** What a terminal would act on, and what a reader cannot see. */
const unseen = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

const maxCharacters = 400

/** A sentence with words of a stranger in it, as one line that hides and starts nothing. */
export function printable(text: string): string {
  const clipped = text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text
  return clipped.toWellFormed().replace(unseen, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
}
