/** Forms of a scanned text: characters, or UTF-8 bytes as one character each. */
export type TextForm = 'characters' | 'bytes'

/** Ranges of controls that a terminal does not show, without tabs and line ends. */
const controls = [[0x00, 0x08], [0x0e, 0x1f], [0x7f]] as const

/** Ranges of characters without a shape of their own (Default_Ignorable_Code_Point). */
const ignorables = [
  ...[
    [0x80, 0x9a],
    [0x9c, 0x9f],
    [0xad],
    [0x34f],
    [0x61c],
    [0x115f, 0x1160],
    [0x17b4, 0x17b5],
    [0x180b, 0x180f],
    [0x200b, 0x200f],
  ],
  ...[[0x202a, 0x202e], [0x2060, 0x206f], [0x3164], [0xfe00, 0xfe0f], [0xfeff], [0xffa0], [0xfff0, 0xfff8]],
] as const

/** High surrogates of ignorable characters beyond the basic plane. */
const halves = [0xd82f, 0xd834, 0xdb40] as const

const sign = (code: number) => String.raw`\u${code.toString(16).padStart(4, '0')}`

/** Differences between the forms, as sources of regular expressions. */
const partsOf = {
  characters: {
    introducer: String.raw`\x1b\[|\x9b`,
    terminator: String.raw`\x07|\x1b\\|\x9c`,
    payload: String.raw`[^\x07\x1b\x9c]`,
    opener: String.raw`\x1b[\]PX^_k]|[\x90\x98\x9d-\x9f]`,
    ignorable: String.raw`[${ignorables.map((range) => range.map(sign).join('-')).join('')}]|\ud82f[\udca0-\udca3]|\ud834[\udd73-\udd7a]|\udb40[\udc00-\udfff]`,
    half: `[${halves.map(sign).join('')}]`,
  },
  bytes: {
    introducer: String.raw`\x1b\[|\xc2\x9b`,
    terminator: String.raw`\x07|\x1b\\|\xc2\x9c`,
    payload: String.raw`(?:[^\x07\x1b\xc2]|\xc2(?!\x9c))`,
    opener: String.raw`\x1b[\]PX^_k]|\xc2[\x90\x98\x9d-\x9f]`,
    ignorable: String.raw`\xc2[\x80-\x9f\xad]|\xcd\x8f|\xd8\x9c|\xe1(?:\x85[\x9f\xa0]|\x9e[\xb4\xb5]|\xa0[\x8b-\x8f])|\xe2(?:\x80[\x8b-\x8f\xaa-\xae]|\x81[\xa0-\xaf])|\xe3\x85\xa4|\xef(?:\xb8[\x80-\x8f]|\xbb\xbf|\xbe\xa0|\xbf[\xb0-\xb8])|\xf0(?:\x9b\xb2[\xa0-\xa3]|\x9d\x85[\xb3-\xba])|\xf3\xa0[\x80-\xbf][\x80-\xbf]`,
    half: String.raw`[\xc2\xcd\xd8]|[\xe1-\xe3\xef][\x80-\xbf]?|[\xf0\xf3][\x80-\xbf]{0,2}`,
  },
} as const satisfies Record<TextForm, Readonly<Record<string, string>>>

/** Length limit of the payload of a title, a link and the like; a longer one counts as text. */
const maxPayload = 2048

/** Escape as JSON, source code and pagers write it. */
const spelledEscape = String.raw`\\{1,4}(?:u001[bB]|u\{1[bB]\}|x1[bB]|0?33|[eE])|\^\[`
const spelledStart = String.raw`(?:${spelledEscape})\[`
const spelledArguments = '[0-9;]{0,32}'
/** Numbers of invisible characters in the escapes of JSON and source code. */
const spelledNumber = String.raw`00(?:0[0-8dDeEfF]|1[\da-fA-F]|7[fF]|[89][\da-fA-F]|[aA][dD])|034[fF]|061[cC]|115[fF]|1160|17[bB][45]|180[b-fB-F]|20(?:0[b-fB-F]|2[a-eA-E]|6[\da-fA-F])|3164|[fF][eE]0[\da-fA-F]|[fF]{2}[aA]0|[fF][eE][fF]{2}|[fF]{3}[0-8]`
/**
 * Spelling of an invisible character: by its number, by its bytes as git and C write them, or as `showHidden` of the
 * protocol shows it.
 */
const spelledLetter = String.raw`\\{1,4}(?:u(?:${spelledNumber})|x(?:0[0-8dDeEfF]|1[\da-fA-F]|7[fF]|[89][\da-fA-F]|[aA][dD])|[23][0-7]{2}|b)|<U\+[\dA-F]{4,6}>`
const unfinishedSpelled = String.raw`\\{1,4}(?:u[\da-fA-F]{0,3}|u\{1?[bB]?|x[\da-fA-F]?|[0-3][0-7]?)?|\^|${spelledEscape}|${spelledStart}${spelledArguments}|<(?:U(?:\+[\dA-F]{0,6})?)?`

/** Patterns of invisible sequences at a place; one at the end of the text may continue and matches `unfinished`. */
interface UnseenPatterns {
  /** Invisible sequences; payloads of titles and links count as visible. */
  readonly letters: RegExp
  /** Invisible sequences including these payloads. */
  readonly screen: RegExp
  readonly unfinished: RegExp
  /** Unfinished sequences at the end of a text that begin without an escape character. */
  readonly begun: RegExp
}

const patterns = { characters: patternsOf('characters'), bytes: patternsOf('bytes') } as const

function patternsOf(form: TextForm): UnseenPatterns {
  const { introducer, terminator, payload, opener, ignorable, half } = partsOf[form]
  const control = `(?:${introducer})[0-?]{0,64}[ -/]{0,8}`
  const text = `(?:${opener})${payload}{0,${maxPayload}}`
  const unfinished = [control, String.raw`\x1b[ -/]{0,8}`, unfinishedSpelled, half].join('|')
  const finished = [
    `${control}[@-~]`,
    String.raw`\x1b[ -/]{0,8}[0-~]?`,
    `${spelledStart}${spelledArguments}[A-Za-z]`,
    spelledLetter,
    String.raw`[\0-\b\r\x0e-\x1a\x1c-\x1f\x7f]`,
    ignorable,
  ].join('|')
  const letters = `(?:${unfinished})$|${finished}`
  return {
    letters: new RegExp(letters, 'y'),
    screen: new RegExp(String.raw`${text}(?:\x1b?$|${terminator})|${letters}`, 'y'),
    unfinished: new RegExp(String.raw`^(?:${text}\x1b?|${unfinished})$`),
    begun: new RegExp(`(?:${unfinishedSpelled}|${half})$`),
  }
}

export function unseenIn(form: TextForm): UnseenPatterns {
  return patterns[form]
}

/** Tables by form: 1 for each invisible character or half of one; 2 for others that may begin an invisible sequence. */
const tables: Partial<Record<TextForm, Uint8Array>> = {}

/** Returns the table of a form, created at the first use: a start of the program needs no table. */
export function unseenTable(form: TextForm): Uint8Array {
  const table = tables[form] ?? makeTable(form)
  tables[form] = table
  return table
}

function makeTable(form: TextForm): Uint8Array {
  const table = new Uint8Array(form === 'bytes' ? 256 : 65536)
  for (const [from, to = from] of controls) table.fill(1, from, to + 1)
  for (const code of [0x0d, 0x3c, 0x5c, 0x5e]) table[code] = 2
  if (form === 'bytes') {
    for (const pair of beginnings) table[pair >> 8] = 2
    return table
  }
  for (const code of [0x9b, ...halves]) table[code] = 1
  for (const [from, to = from] of ignorables) table.fill(1, from, to + 1)
  return table
}

/** Texts that every spelled escape contains, searched for one after the other. */
const signsOfSpelled = ['\\', '<U+', '^[['] as const
const spelled = new RegExp(`${spelledStart}|${spelledLetter}`)
const loneReturn = /\r(?!\n)/
const ignorableBytes = new RegExp(partsOf.bytes.ignorable)
/** Length of the longest unfinished escape at the end of a text. */
const tailLength = 10

/** Tells whether a text contains, or may begin at its end, an invisible sequence that the tables do not cover. */
export function mayHide(text: string, form: TextForm): boolean {
  if (signsOfSpelled.some((sign) => text.includes(sign)) && spelled.test(text)) return true
  if (text.includes('\r') && loneReturn.test(text)) return true
  if (form === 'bytes') return isBegun(text.slice(-tailLength), form) || ignorableBytes.test(text)
  return endsOfSpelled.test(text.slice(-1)) && isBegun(text.slice(-tailLength), form)
}

function isBegun(tail: string, form: TextForm): boolean {
  return (form === 'bytes' || firstsOfSpelled.test(tail)) && patterns[form].begun.test(tail)
}

/** Last characters of an unfinished spelled escape; below, its first ones. */
const endsOfSpelled = /[\\\dA-FUa-eux<+^{}[;]$/
const firstsOfSpelled = /[\\<^]/

/** Bytes of output. */
export interface BytePiece {
  readonly bytes: Uint8Array
  readonly isAscii: boolean
  includes(text: string): boolean
  /** Returns bytes as text of one character each. */
  decode(from: number, to: number): string
}

/** Does the same as `mayHide` for bytes, which become text only if part of them is suspect. */
export function mayHideInBytes({ bytes, isAscii, includes, decode }: BytePiece): boolean {
  const { length } = bytes
  return (
    (signsOfSpelled.some(includes) && spelled.test(decode(0, length))) ||
    (includes('\r') && loneReturn.test(decode(0, length))) ||
    isBegun(decode(Math.max(0, length - tailLength), length), 'bytes') ||
    (!isAscii && mayIgnore(bytes) && ignorableBytes.test(decode(0, length)))
  )
}

/** First two bytes of the UTF-8 forms of ignorable characters. */
const beginnings = new Set([
  ...Array.from({ length: 32 }, (_, nth) => 0xc280 + nth),
  ...[0xc2ad],
  0xcd8f,
  0xd89c,
  0xe185,
  0xe19e,
  0xe1a0,
  0xe280,
  0xe281,
  0xe385,
  0xefb8,
  0xefbb,
  0xefbe,
  0xefbf,
  0xf09b,
  0xf09d,
  0xf3a0,
])

/** Tells whether bytes contain the beginning of an ignorable character in UTF-8. */
function mayIgnore(bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (byte >= 0xc2 && beginnings.has((byte << 8) | (bytes[at + 1] ?? 0))) return true
  }
  return false
}
