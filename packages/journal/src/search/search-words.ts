/** Word or phrase to search for. */
export interface SearchWord {
  /** Parts in their order, as the index has them: a name such as `read_file` has two. */
  readonly parts: readonly string[]
  /** True if the last part may be the beginning of a word. */
  readonly isBeginning: boolean
}

/** Number of words that are searched for; later ones are left out. */
const mostWords = 16
/** Letters from which on a word finds longer ones: shorter beginnings fit too many words to be looked up at once. */
const beginningLetters = 3
const mostCharacters = 200

/** Characters of scripts that are written without blanks: each is a word of the index. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/gu
const part = /[\p{L}\p{N}\p{Co}\p{M}]+/gu

/** Returns text with its words apart, for the index. */
export function indexedText(text: string): string {
  return text.replace(unspaced, ' $& ')
}

/** Reads a user's search: words that all have to be there, and phrases in quotation marks. */
export function searchWords(typed: string): readonly SearchWord[] {
  const found: SearchWord[] = []
  for (const [, phrase, word] of typed.slice(0, 4000).matchAll(/"([^"]*)"?|([^\s"]+)/g)) {
    const text = (phrase ?? word ?? '').slice(0, mostCharacters)
    const parts = indexedText(text).match(part) ?? []
    const last = parts.at(-1) ?? ''
    if (last !== '') found.push({ parts, isBeginning: phrase === undefined && [...last].length >= beginningLetters })
  }
  return found.slice(0, mostWords)
}

/** Returns a word as FTS5 takes it. */
export function matchExpression({ parts, isBeginning }: SearchWord): string {
  return `"${parts.join(' ')}"${isBeginning ? '*' : ''}`
}

/** Returns where a text has the word first, whatever its case and accents; null where only the index knows. */
export function findWord(text: string, { parts, isBeginning }: SearchWord): { from: number; to: number } | null {
  const between = String.raw`[^\p{L}\p{N}\p{Co}]*`
  const body = parts.map((one) => [...one].map(withAccents).join('')).join(between)
  const end = isBeginning || unspacedEnd.test(parts.at(-1) ?? '') ? '' : String.raw`(?![\p{L}\p{N}])`
  const start = unspacedStart.test(parts[0] ?? '') ? '' : String.raw`(?<![\p{L}\p{N}])`
  const match = new RegExp(`${start}${body}${end}`, 'iu').exec(text)
  return match === null ? null : { from: match.index, to: match.index + match[0].length }
}

const unspacedStart = new RegExp(`^${unspaced.source}`, 'u')
const unspacedEnd = new RegExp(`${unspaced.source}$`, 'u')

const accentedForms = new Map<string, string>()
for (let code = 0xc0; code < 0x250; code++) {
  const character = String.fromCodePoint(code)
  const [base = ''] = character.normalize('NFD')
  if (base !== character) accentedForms.set(base, `${accentedForms.get(base) ?? ''}${character}`)
}

/** Returns a pattern for a letter with or without accents. */
function withAccents(character: string): string {
  const [base = character] = character.normalize('NFD')
  return `[${base}${accentedForms.get(base) ?? ''}${character}]${String.raw`\p{M}*`}`
}
