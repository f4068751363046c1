import { expandTabs } from './tabs.ts'

/** Complete terminal sequences: control sequences, operating system commands, device strings, two-character escapes. */
export const terminalSequence =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b\]|\x9d)[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x9c\n]*(?:\x1b\\|\x9c)|\x1b[ -/]*[0-~]/g

const control = /[\x00-\x09\x0b-\x1f\x7f-\x9f]/g

/** Bidirectional controls, zero-width characters that no script or emoji needs, fillers and tags. Joiners stay. */
const hidden =
  /\u034f|[\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|\udb40[\udc00-\udc7f]/g

/** Marks that pile up on one letter are drawn over the lines around it. */
const piledUp = /(\p{M}{4})\p{M}+/gu

const beyondPlain = /[^\n -~]/

/** For the transcript: text from models and tools without any effect on the terminal or on the order of its letters. */
export function stripEffects(text: string, tabCells = 4): string {
  if (!beyondPlain.test(text)) return text
  const lines = text
    .replace(terminalSequence, '')
    .replace(/\r\n?/g, '\n')
    .replace(/[\u2028\u2029]/g, ' ')
  return expandTabs(lines, tabCells).replace(control, '').replace(hidden, '').replace(piledUp, '$1').toWellFormed()
}

/** Bidirectional overrides can make a pasted text read as something else; marks and joiners of real scripts stay. */
const override = /[\u202a-\u202e\u2066-\u2069]/g

/** For the composer: what the user pastes or types, kept as exactly as can be shown; tabs stay tabs. */
export function cleanInput(text: string): string {
  if (!beyondPlain.test(text)) return text
  return text
    .replace(terminalSequence, '')
    .replace(/\r\n?/g, '\n')
    .replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '')
    .replace(override, '')
    .toWellFormed()
}

/**
 * Everything that a reader cannot see or cannot tell from a space, but for the line end; and what is drawn over other
 * letters: strokes, frames, and more marks on one letter than any script has.
 */
const unseen =
  /[\p{C}\p{Zl}\p{Zp}\p{Me}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}|[\u0334-\u0338]|[\u20d2\u20d3\u20d8-\u20da\u20e5\u20e6\u20ea\u20eb]|(?<=\p{M}{4})\p{M}/gu

/** For approvals: nothing is removed; what hides is shown by its number: controls as \x1b, the rest as <U+202E>. */
export function showHidden(text: string, tabCells = 4): string {
  return hiddenParts(text, tabCells)
    .map((part) => part.text)
    .join('')
}

export interface ShownPart {
  readonly text: string
  /** It stands for a character that cannot be seen, and is not what was written. */
  readonly stands: boolean
}

/** As `showHidden`, so that what stands for a character can be told from the same letters in the text. */
export function hiddenParts(text: string, tabCells = 4): readonly ShownPart[] {
  if (!beyondPlain.test(text)) return [{ text, stands: false }]
  const parts: ShownPart[] = []
  const expanded = expandTabs(text, tabCells)
  let from = 0
  for (const { 0: character, index } of expanded.matchAll(unseen)) {
    if (character === '\n') continue
    if (index > from) parts.push({ text: expanded.slice(from, index), stands: false })
    parts.push({ text: named(character), stands: true })
    from = index + character.length
  }
  return from === expanded.length ? parts : [...parts, { text: expanded.slice(from), stands: false }]
}

/** Whether text has characters that act on a terminal, and whether it has others that cannot be seen. */
export function hiddenKinds(text: string): { readonly controls: boolean; readonly unseen: boolean } {
  if (!beyondPlain.test(text)) return { controls: false, unseen: false }
  const found = [...text.matchAll(unseen)].map(([character]) => character).filter((one) => one !== '\n' && one !== '\t')
  const controls = found.some(isControl)
  return { controls, unseen: found.some((one) => !isControl(one)) }
}

function isControl(character: string): boolean {
  return /^[\x00-\x1f\x7f-\x9f]$/.test(character)
}

function named(character: string): string {
  if (character === '\r') return '\\r'
  const number = (character.codePointAt(0) ?? 0).toString(16)
  return isControl(character) ? `\\x${number.padStart(2, '0')}` : `<U+${number.toUpperCase().padStart(4, '0')}>`
}
