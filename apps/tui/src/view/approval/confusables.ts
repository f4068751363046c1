const maxNamed = 3
/** What ends a word of a shell line; quotes may stand inside one. */
const betweenWords = /[\s;|&()<>{}`]+/
// Not a line end: the lines of a text that a command writes begin with any word.
const beforeProgram = /(?:^|[;|&(`{])[ \t]*$/
/** How far back an operator may stand before the program it begins. */
const reach = 64

interface Looked {
  /** The first word of a command is the name of a program, where any letter but ASCII's is worth a word. */
  readonly hasPrograms: boolean
}

/**
 * Letters that are not what they seem, in the places where that decides what runs. One sentence each, at most a few.
 * Text in another script is none of it: it has letters that pass for nothing.
 */
export function doubtfulLetters(text: string, { hasPrograms }: Looked): readonly string[] {
  if (/^[\n -~]*$/.test(text)) return []
  const isProse = oddLetters(text).some((letter) => passesFor(letter) === null)
  const found = new Map<string, string>()
  let from = 0
  for (const word of text.split(betweenWords)) {
    const at = text.indexOf(word, from)
    from = at + word.length
    const isProgram = hasPrograms && word !== '' && isAfterOperator(text, at)
    for (const [character, sentence] of doubtsIn(word, { isProgram, isProse }))
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

interface Word {
  readonly isProgram: boolean
  readonly isProse: boolean
}

function doubtsIn(word: string, { isProgram, isProse }: Word): readonly (readonly [string, string])[] {
  const isPlain = isProgram || seemsPlain(word, isProse)
  return [...new Set(word)].flatMap((character) => {
    if (character <= '~' || !/[\p{L}\p{N}\p{P}\p{S}\p{M}]/u.test(character)) return []
    const plain = passesFor(character)
    const tells = isProgram || (plain !== null && (/^\w$/.test(plain) ? isPlain : misleads(plain, character, word)))
    return tells ? [[character, sentenceFor(character, plain)] as const] : []
  })
}

/** Whoever reads it takes it for ASCII: all its letters pass for that, and there is no sign of another language. */
function seemsPlain(word: string, isProse: boolean): boolean {
  if (oddLetters(word).some((letter) => passesFor(letter) === null)) return false
  return !isProse || /[A-Za-z]/.test(word)
}

/** A dash that begins what looks like an option; any other mark that looks like an operator or a part of a path. */
function misleads(plain: string, character: string, word: string): boolean {
  if (plain === '-') return word.startsWith(character) && /[A-Za-z]/.test(word)
  return '/.~;|&:'.includes(plain)
}

function oddLetters(text: string): readonly string[] {
  return text.match(/(?![A-Za-z])\p{L}/gu) ?? []
}

function sentenceFor(character: string, plain: string | null): string {
  const number = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
  return plain === null
    ? `non-ASCII: ${number} (${character}) in the name of a program`
    : `non-ASCII: ${number} looks like ${plain}`
}

/** Letters of other scripts that look like a letter of ASCII, by that letter: the common ones of Cyrillic, Greek and a few more. */
const lookAlikes: ReadonlyMap<string, string> = new Map(
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

/** What of ASCII a character passes for; null for most. Fullwidth and mathematical letters are told by Unicode itself. */
function passesFor(character: string): string | null {
  const known = lookAlikes.get(character)
  if (known !== undefined) return known
  if (/^[ -~]$/.test(character)) return null
  const plain = character.normalize('NFKC')
  return /^[!-~]$/.test(plain) ? plain : null
}
