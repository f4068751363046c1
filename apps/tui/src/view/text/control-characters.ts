import {
  collapseBlanks as collapsed,
  hiddenParts as partsOf,
  type ShownPart,
  showHidden as shown,
} from '@parley/protocol/question'
import { cellWidth } from './width.ts'

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

/** For approvals: nothing is removed; what hides is shown by its number: controls as \x1b, the rest as <U+202E>. */
export function showHidden(text: string, tabCells = 4): string {
  return shown(expandTabs(text, tabCells))
}

/** As `showHidden`, so that what stands for a character can be told from the same letters in the text. */
export function hiddenParts(text: string, tabCells = 4): readonly ShownPart[] {
  return partsOf(expandTabs(text, tabCells))
}

/** What a call does, in the record of it as in the question: what hides is shown by its number, long blanks by count. */
function visibleText(text: string): string {
  return showHidden(collapseBlanks(text))
}

/** The same on one line. */
export function visibleLine(text: string): string {
  return visibleText(text).replaceAll('\n', ' ')
}

const tabCells = 4

/** Long runs of blanks, tabs expanded, as a mark that says how many: `⟨400 spaces⟩`. For showing only. */
export function collapseBlanks(text: string): string {
  return collapsed(expandTabs(text, tabCells))
}

/** Tabs as blanks up to the next stop, each line counted from its start. */
function expandTabs(text: string, tabCells: number): string {
  if (!text.includes('\t')) return text
  return text
    .split('\n')
    .map((line) => (line.includes('\t') ? expandLine(line, tabCells) : line))
    .join('\n')
}

function expandLine(line: string, tabCells: number): string {
  let column = 0
  return line
    .split('\t')
    .map((part, index, parts) => {
      column += cellWidth(part)
      if (index === parts.length - 1) return part
      const blanks = tabCells - (column % tabCells)
      column += blanks
      return part + ' '.repeat(blanks)
    })
    .join('')
}
