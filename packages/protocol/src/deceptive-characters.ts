/** Longest run of blanks shown as it is: longer ones would push the rest out of sight. */
const longestRun = 24
const mostEmptyLines = 3

const blanks = new RegExp(`[ \\t]{${longestRun + 1},}`, 'g')
const emptyLines = new RegExp(`\\n(?:[ \\t]*\\n){${mostEmptyLines + 1},}`, 'g')

/** Replaces long runs of blanks by a mark with their number: `⟨400 spaces⟩`. For display only; a tab counts as one. */
export function collapseBlanks(text: string): string {
  return text
    .replace(emptyLines, (run) => `\n⟨${run.split('\n').length - 2} empty lines⟩\n`)
    .replace(blanks, (run) => ` ⟨${run.length} spaces⟩ `)
}

/** Puts a text of others on one line: line ends as ⏎, hidden characters by their numbers. */
export function onOneLine(text: string): string {
  return showHidden(collapseBlanks(text))
    .replaceAll(/[ \t]*\n[ \t\n]*/g, ' ⏎ ')
    .replaceAll('\t', ' ')
}

/**
 * Characters that a reader cannot see or cannot tell from a space, except line end and tab; and characters drawn over
 * other letters: strokes, frames, and more marks on one letter than any script has.
 */
const unseen =
  /[\p{C}\p{Zl}\p{Zp}\p{Me}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}|[\u0334-\u0338]|[\u20d2\u20d3\u20d8-\u20da\u20e5\u20e6\u20ea\u20eb]|(?<=\p{M}{4})\p{M}/gu

const beyondPlain = /[^\n -~]/

export interface ShownPart {
  readonly text: string
  /** The text replaces a character that cannot be seen. */
  readonly isReplaced: boolean
}

/** Replaces hidden characters by their numbers: controls as \x1b, the rest as <U+202E>. Removes nothing. */
export function showHidden(text: string): string {
  return hiddenParts(text)
    .map((part) => part.text)
    .join('')
}

/** Splits a text as `showHidden` writes it, so that replacements can be told from the same letters in the text. */
export function hiddenParts(text: string): readonly ShownPart[] {
  if (!beyondPlain.test(text)) return [{ text, isReplaced: false }]
  const pieces: ShownPart[] = []
  let from = 0
  for (const { 0: character, index } of text.matchAll(unseen)) {
    if (isLayout(character)) continue
    if (index > from) pieces.push({ text: text.slice(from, index), isReplaced: false })
    pieces.push({ text: named(character), isReplaced: true })
    from = index + character.length
  }
  return from === text.length ? pieces : [...pieces, { text: text.slice(from), isReplaced: false }]
}

/** Returns one warning for each kind of character that `showHidden` replaces; empty for nearly every text. */
export function hiddenWarnings(text: string): readonly string[] {
  if (!beyondPlain.test(text)) return []
  const found = [...text.matchAll(unseen)].map(([character]) => character).filter((one) => !isLayout(one))
  return [
    ...(found.some(isControl) ? ['contains control characters, shown as \\x1b'] : []),
    ...(found.some((one) => !isControl(one))
      ? ['contains invisible characters or marks over others, shown as <U+202E>']
      : []),
  ]
}

function isLayout(character: string): boolean {
  return character === '\n' || character === '\t'
}

function isControl(character: string): boolean {
  return /^[\x00-\x1f\x7f-\x9f]$/.test(character)
}

function named(character: string): string {
  if (character === '\r') return '\\r'
  const number = (character.codePointAt(0) ?? 0).toString(16)
  return isControl(character) ? `\\x${number.padStart(2, '0')}` : `<U+${number.toUpperCase().padStart(4, '0')}>`
}

const maxNamed = 3
/** Matches the separators between words of a shell line; quotes may be inside a word. */
const betweenWords = /[\s;|&()<>{}`]+/
// No line end here: lines of a text that a command writes may begin with any word.
const beforeProgram = /(?:^|[;|&(`{])[ \t]*$/
/** Number of characters before a program's name that are searched for an operator. */
const reach = 64

/**
 * Returns warnings about confusable characters in commands and paths, a few sentences at most. Text in another script
 * gives no warning, because some of its letters look like no ASCII letter. With `hasPrograms`, first words of commands
 * are names of programs, where every non-ASCII letter is reported.
 */
export function confusableWarnings(
  text: string,
  { hasPrograms }: { readonly hasPrograms: boolean },
): readonly string[] {
  if (/^[\n -~]*$/.test(text)) return []
  const isProse = nonAsciiLetters(text).some((letter) => asciiLookAlike(letter) === null)
  const found = new Map<string, string>()
  let from = 0
  for (const word of text.split(betweenWords)) {
    const at = text.indexOf(word, from)
    from = at + word.length
    const isProgram = hasPrograms && word !== '' && isAfterOperator(text, at)
    for (const [character, sentence] of confusablesIn(word, { isProgram, isProse }))
      if (!found.has(character)) found.set(character, sentence)
  }
  const sentences = [...found.values()]
  if (sentences.length <= maxNamed) return sentences
  return [...sentences.slice(0, maxNamed), `and ${sentences.length - maxNamed} more of the kind`]
}

function isAfterOperator(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - reach), at)
  return beforeProgram.test(before) && (before.trim() !== '' || at <= reach)
}

interface WordKind {
  readonly isProgram: boolean
  readonly isProse: boolean
}

function confusablesIn(word: string, { isProgram, isProse }: WordKind): readonly (readonly [string, string])[] {
  const isPlain = isProgram || readsAsAscii(word, isProse)
  return [...new Set(word)].flatMap((character) => {
    if (character <= '~' || !/[\p{L}\p{N}\p{P}\p{S}\p{M}]/u.test(character)) return []
    const plain = asciiLookAlike(character)
    const tells =
      isProgram || (plain !== null && (/^\w$/.test(plain) ? isPlain : isMisleadingMark(plain, character, word)))
    return tells ? [[character, sentenceFor(character, plain)] as const] : []
  })
}

/** Returns true if all letters look like ASCII and no sign of another language is near. */
function readsAsAscii(word: string, isProse: boolean): boolean {
  if (nonAsciiLetters(word).some((letter) => asciiLookAlike(letter) === null)) return false
  return !isProse || /[A-Za-z]/.test(word)
}

/** Returns true for a dash that begins an apparent option, and for apparent operators and path separators. */
function isMisleadingMark(plain: string, character: string, word: string): boolean {
  if (plain === '-') return word.startsWith(character) && /[A-Za-z]/.test(word)
  return '/.~;|&:'.includes(plain)
}

function nonAsciiLetters(text: string): readonly string[] {
  return text.match(/(?![A-Za-z])\p{L}/gu) ?? []
}

function sentenceFor(character: string, plain: string | null): string {
  const number = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
  return plain === null
    ? `non-ASCII: ${number} (${character}) in the name of a program`
    : `non-ASCII: ${number} looks like ${plain}`
}

/** Confusables by the ASCII character they look like: common ones of Cyrillic, Greek and a few more. */
const confusables: ReadonlyMap<string, string> = new Map(
  Object.entries({
    a: 'аɑα',
    b: 'ЬƄ',
    c: 'сϲⅽ',
    d: 'ԁⅾ',
    e: 'еҽ',
    f: 'ғϝ',
    g: 'ɡց',
    h: 'һհ',
    i: 'іιıⅰ',
    j: 'јϳ',
    k: 'кκ',
    l: 'ӏⅼ',
    m: 'мⅿ',
    n: 'ոп',
    o: 'оοσօ',
    p: 'рρ',
    q: 'ԛ',
    r: 'гᴦ',
    s: 'ѕ',
    t: 'тτ',
    u: 'υսц',
    v: 'ѵνⅴ',
    w: 'ѡԝω',
    x: 'хχⅹ',
    y: 'уγү',
    z: 'ᴢ',
    A: 'АΑ',
    B: 'ВΒ',
    C: 'СϹ',
    D: 'Ꭰ',
    E: 'ЕΕ',
    F: 'Ϝ',
    G: 'Ԍ',
    H: 'НΗ',
    I: 'ІΙӀ',
    J: 'Ј',
    K: 'КΚ',
    L: 'Ꮮ',
    M: 'МΜ',
    N: 'Ν',
    O: 'ОΟ',
    P: 'РΡ',
    S: 'Ѕ',
    T: 'ТΤ',
    V: 'Ѵ',
    X: 'ХΧ',
    Y: 'ҮΥ',
    Z: 'Ζ',
    '-': '‐‑‒–—−',
    '/': '⁄∕⧸',
    '.': '․',
    '~': '∼',
    ':': '։∶',
    ';': ';',
    '|': 'ǀ∣',
    '&': '﹠',
  }).flatMap(([plain, others]) => [...others].map((other): [string, string] => [other, plain])),
)

/** Returns the ASCII character that a character looks like, or null. NFKC covers fullwidth and mathematical ones. */
function asciiLookAlike(character: string): string | null {
  const known = confusables.get(character)
  if (known !== undefined) return known
  if (/^[ -~]$/.test(character)) return null
  const plain = character.normalize('NFKC')
  return /^[!-~]$/.test(plain) ? plain : null
}
