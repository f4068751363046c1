import { passesFor } from './look-alikes.ts'

const maxNamed = 3
/** What ends a word of a shell line; quotes may stand inside one. */
const betweenWords = /[\s;|&()<>{}`]+/
const beforeProgram = /(?:^|[;|&(`{\n])\s*$/

/**
 * Letters that are not what they seem, in the places where that decides what runs: any of another script in the name of
 * a program, those that pass for ASCII in a path or beside ASCII letters. One sentence each, at most a few.
 */
export function doubtfulLetters(text: string): readonly string[] {
  if (/^[\n -~]*$/.test(text)) return []
  const found = new Map<string, string>()
  let from = 0
  for (const word of text.split(betweenWords)) {
    const at = text.indexOf(word, from)
    from = at + word.length
    if (word === '') continue
    const isProgram = beforeProgram.test(text.slice(Math.max(0, at - 64), at)) || at === 0
    for (const [character, sentence] of doubtsIn(word, isProgram))
      if (!found.has(character)) found.set(character, sentence)
  }
  const sentences = [...found.values()]
  if (sentences.length <= maxNamed) return sentences
  return [...sentences.slice(0, maxNamed), `and ${sentences.length - maxNamed} more of the kind`]
}

function doubtsIn(word: string, isProgram: boolean): readonly (readonly [string, string])[] {
  const odd = [
    ...new Set([...word].filter((character) => character > '~' && /[\p{L}\p{N}\p{P}\p{S}\p{M}]/u.test(character))),
  ]
  return odd.flatMap((character) => {
    const plain = passesFor(character)
    const tells = isProgram || (plain !== null && seemsPlain(word))
    return tells ? [[character, sentenceFor(character, plain)] as const] : []
  })
}

/** Every letter is of ASCII or passes for one: whoever reads it cannot tell. A word of another language has others too. */
function seemsPlain(word: string): boolean {
  const letters = [...word].filter((character) => /[\p{L}\p{P}\p{S}]/u.test(character))
  return letters.every((letter) => letter <= '~' || passesFor(letter) !== null)
}

function sentenceFor(character: string, plain: string | null): string {
  const number = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
  return plain === null
    ? `non-ASCII: ${number} (${character}) in the name of a program`
    : `non-ASCII: ${number} looks like ${plain}`
}
