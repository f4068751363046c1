import type { ApprovalRequest, AskedFile } from './schema/approval.ts'
import type { Enforcement } from './schema/settings.ts'

export type ListedFile = Omit<AskedFile, 'before' | 'after'>

const verbs = { add: 'add', update: 'change', delete: 'delete' } as const

/** Describes a file of a patch in one line: kind of change, path, counts of lines, and deleted bytes. */
export function fileWords({ kind, additions, deletions, deletedBytes, ...at }: ListedFile): string {
  const path = placeWords(at.path, at.real)
  const target = at.movedTo === undefined ? '' : ` → ${placeWords(at.movedTo, at.realMovedTo)}`
  const size = deletedBytes === undefined ? '' : `, ${deletedBytes} bytes`
  return `${target === '' ? verbs[kind] : 'move'} ${path}${target} (+${additions} −${deletions}${size})`
}

function placeWords(path: string, real: string | undefined): string {
  return real === undefined ? onOneLine(path) : `${onOneLine(path)} (leads to ${onOneLine(real)})`
}

export interface LimitWords {
  readonly text: string
  /** True when the call gets more rights than a command has by default. */
  readonly isMore: boolean
}

/** Describes the limits of a call: its sandbox, then the network where that is known. */
export function limitWords(
  { sandbox, network }: Pick<ApprovalRequest, 'sandbox' | 'network'>,
  enforcement: Enforcement,
): readonly LimitWords[] {
  if (sandbox === 'none') {
    const all = network === undefined ? '' : ': it may do all that you may, network included'
    return [{ text: `not sandboxed${all}`, isMore: true }]
  }
  const enforced = { text: `sandbox ${sandbox}${enforcement === 'partial' ? ', in part' : ''}`, isMore: false }
  if (network === undefined) return [enforced]
  return [enforced, network ? { text: 'with network', isMore: true } : { text: 'no network', isMore: false }]
}

/** Text for a command that goes on after its call has answered. */
export const backgroundWords = 'in the background, without a time limit'

/** Text for a second attempt. */
export const againWords =
  'It ran in the sandbox already, and failed for what the sandbox blocked. A yes runs it once more.'

/** Introduction of the model's own reason. */
export const uncheckedWords = 'the model says, unchecked: '

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
 * Everything that a reader cannot see or cannot tell from a space, but for the line end and the tab; and what is drawn
 * over other letters: strokes, frames, and more marks on one letter than any script has.
 */
const unseen =
  /[\p{C}\p{Zl}\p{Zp}\p{Me}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}|[\u0334-\u0338]|[\u20d2\u20d3\u20d8-\u20da\u20e5\u20e6\u20ea\u20eb]|(?<=\p{M}{4})\p{M}/gu

const beyondPlain = /[^\n -~]/

export interface ShownPart {
  readonly text: string
  /** True when the text replaces a character that cannot be seen. */
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
  const parts: ShownPart[] = []
  let from = 0
  for (const { 0: character, index } of text.matchAll(unseen)) {
    if (isLayout(character)) continue
    if (index > from) parts.push({ text: text.slice(from, index), isReplaced: false })
    parts.push({ text: named(character), isReplaced: true })
    from = index + character.length
  }
  return from === text.length ? parts : [...parts, { text: text.slice(from), isReplaced: false }]
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
