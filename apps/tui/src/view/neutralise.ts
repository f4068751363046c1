import { expandTabs } from './tabs.ts'

/** Complete terminal sequences: control sequences, operating system commands, device strings, two-character escapes. */
export const terminalSequence =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b\]|\x9d)[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x9c\n]*(?:\x1b\\|\x9c)|\x1b[ -/]*[0-~]/g

const control = /[\x00-\x09\x0b-\x1f\x7f-\x9f]/g

/** Bidirectional controls, zero-width characters that no script or emoji needs, fillers and tags. Joiners stay. */
const hidden =
  /\u034f|[\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|\udb40[\udc00-\udc7f]/g

const beyondPlain = /[^\n -~]/

/** For the transcript: text from models and tools without any effect on the terminal or on the order of its letters. */
export function stripEffects(text: string, tabCells = 4): string {
  if (!beyondPlain.test(text)) return text
  const lines = text
    .replace(terminalSequence, '')
    .replace(/\r\n?/g, '\n')
    .replace(/[\u2028\u2029]/g, ' ')
  return expandTabs(lines, tabCells).replace(control, '').replace(hidden, '').toWellFormed()
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

/** Everything that a reader cannot see or cannot tell from a space, but for the line end. */
const unseen = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/gu

/** For approvals: nothing is removed; each character that hides is shown by its number, as in ⟨U+202E⟩. */
export function showHidden(text: string, tabCells = 4): string {
  if (!beyondPlain.test(text)) return text
  return expandTabs(text, tabCells).replace(unseen, (character) => (character === '\n' ? character : named(character)))
}

function named(character: string): string {
  return `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`
}
