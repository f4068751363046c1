import {
  collapseBlanks as collapsed,
  hiddenParts as partsOf,
  type ShownPart,
  showHidden as shown,
} from '@parley/protocol/question'
import { cellWidth } from './width.ts'

/** Matches complete terminal sequences: CSI, OSC, device control strings, two-character escapes. */
export const terminalSequence =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b\]|\x9d)[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x9c\n]*(?:\x1b\\|\x9c)|\x1b[ -/]*[0-~]/g

const control = /[\x00-\x09\x0b-\x1f\x7f-\x9f]/g

/**
 * Matches bidirectional controls, zero-width characters that no script or emoji needs, fillers and tags; joiners stay.
 */
const hidden =
  /\u034f|[\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|\udb40[\udc00-\udc7f]/g

/** Matches combining marks beyond the fourth on one letter, which would be drawn over neighbouring lines. */
const piledUp = /(\p{M}{4})\p{M}+/gu

const beyondPlain = /[^\n -~]/

/** Removes from text of models and tools everything that affects the terminal or the order of letters. */
export function stripEffects(text: string, tabCells = 4): string {
  if (!beyondPlain.test(text)) return text
  const lines = text
    .replace(terminalSequence, '')
    .replace(/\r\n?/g, '\n')
    .replace(/[\u2028\u2029]/g, ' ')
  return expandTabs(lines, tabCells).replace(control, '').replace(hidden, '').replace(piledUp, '$1').toWellFormed()
}

/**
 * Shows what `stripEffects` removes by its number: escapes as \x1b, others as <U+202E>. For names, notices and errors,
 * which others can choose. Characters that form emoji and scripts stay.
 */
export function showEffects(text: string): string {
  if (!beyondPlain.test(text)) return text
  const lines = expandTabs(text.replace(/\r\n/g, '\n'), tabCells)
  return lines
    .replace(control, shown)
    .replace(/[\u2028\u2029]/g, shown)
    .replace(hidden, shown)
    .replace(piledUp, '$1')
    .toWellFormed()
}

/** Returns `showEffects` on one line. */
export function shownName(text: string): string {
  return showEffects(text).replaceAll('\n', ' ')
}

/** Matches bidirectional overrides, which can make pasted text read as something else. */
const override = /[\u202a-\u202e\u2066-\u2069]/g

/** Removes control characters from typed or pasted text, keeping everything that can be shown; tabs stay tabs. */
export function cleanInput(text: string): string {
  if (!beyondPlain.test(text)) return text
  return text
    .replace(terminalSequence, '')
    .replace(/\r\n?/g, '\n')
    .replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '')
    .replace(override, '')
    .toWellFormed()
}

/** Shows hidden characters by number, for approvals: controls as \x1b, others as <U+202E>; removes nothing. */
export function showHidden(text: string, tabCells = 4): string {
  return shown(expandTabs(text, tabCells))
}

/** Returns the parts of `showHidden`, so that a replacement can be styled apart from the same letters in the text. */
export function hiddenParts(text: string, tabCells = 4): readonly ShownPart[] {
  return partsOf(expandTabs(text, tabCells))
}

/** Returns text of a call on one line, as in its approval: hidden characters as numbers, long blanks as a count. */
export function visibleLine(text: string): string {
  return shownLine(collapseBlanks(text))
}

/** Returns `showHidden` with blanks for line ends. */
export function shownLine(text: string): string {
  return showHidden(text).replaceAll('\n', ' ')
}

/** Returns `stripEffects` with blanks for line ends. */
export function strippedLine(text: string): string {
  return stripEffects(text).replaceAll('\n', ' ')
}

const tabCells = 4

/** Replaces long runs of blanks, tabs expanded, by their count: `⟨400 spaces⟩`. For display only. */
export function collapseBlanks(text: string): string {
  return collapsed(expandTabs(text, tabCells))
}

/** Expands tabs to the next stop, counted from each line's start. */
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
