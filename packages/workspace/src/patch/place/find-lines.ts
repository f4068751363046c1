import { likeness } from '../../look-up/nearest-names.ts'

/** Normalizations from strict to lenient; each is tried on all lines before the next. */
const passes: ReadonlyArray<{ readonly normalize: (line: string) => string; readonly needsWords: boolean }> = [
  { normalize: (line) => line, needsWords: false },
  { normalize: (line) => line.trimEnd(), needsWords: false },
  { normalize: (line) => line.trim(), needsWords: true },
  { normalize: (line) => foldPunctuation(line.trim()), needsWords: true },
]

const foldedCharacters: ReadonlyArray<readonly [RegExp, string]> = [
  [/[\u2010-\u2015\u2212]/g, '-'],
  [/[\u2018-\u201b]/g, "'"],
  [/[\u201c-\u201f]/g, '"'],
  [/[\u00a0\u2002-\u200a\u202f\u205f\u3000]/g, ' '],
]

/** Replaces typographic dashes, quotes and blanks by ASCII ones, which models tend to write. */
export function foldPunctuation(text: string): string {
  return foldedCharacters.reduce((folded, [characters, plain]) => folded.replace(characters, plain), text)
}

interface LineSearch {
  readonly lines: readonly string[]
  /** Consecutive lines to find, at least one. */
  readonly wanted: readonly string[]
  /** First index to search. */
  readonly from: number
}

/**
 * Returns the indexes of all matches of `wanted`, ascending, under the strictest normalization that has any. Braces alone
 * are not found by another indentation: they are everywhere.
 */
export function findLines({ lines, wanted, from }: LineSearch): readonly number[] {
  const last = lines.length - wanted.length
  const hasWords = wanted.some((line) => /[\p{L}\p{N}]/u.test(line))
  for (const { normalize, needsWords } of passes) {
    if (needsWords && !hasWords) break
    const targets = wanted.map(normalize)
    const found: number[] = []
    for (let start = from; start <= last; start++) {
      if (targets.every((target, offset) => normalize(lines[start + offset] ?? '') === target)) found.push(start)
    }
    if (found.length > 0) return found
  }
  return []
}

const maxShownLines = 12
const maxShownChars = 160
const maxComparedLines = 20_000
const maxComparedChars = 160
const leastLikeness = 0.5

/** Quotes the numbered lines of the file that are most similar to the wanted ones, for a failure message. */
export function describeNearest(lines: readonly string[], wanted: readonly string[]): string {
  if (lines.length === 0) return '\nThe file is empty.'
  const start = nearestStart(lines, wanted)
  if (start === null) return `\nNothing in its ${lines.length} lines looks like that; read the file again.`
  return quoteLines(lines, start, wanted.length)
}

/** Quotes numbered lines of the file, the first of many. */
export function quoteLines(lines: readonly string[], start: number, count: number): string {
  const shown = lines.slice(start, start + Math.min(count, maxShownLines))
  const numbered = shown.map((line, offset) => `${String(start + offset + 1).padStart(6)}\t${clipAtWord(line)}`)
  return `\nThe nearest lines of the file are:\n${numbered.join('\n')}`
}

/** Returns the most likely start of the wanted lines: by equal lines, otherwise by similarity to the longest one. */
export function nearestStart(lines: readonly string[], wanted: readonly string[]): number | null {
  const start = startByEqualLines(lines, wanted) ?? startByLikeness(lines, wanted)
  return start === null ? null : Math.min(Math.max(0, start), lines.length - 1)
}

/** Counts for each start how many wanted lines would be equal. */
function startByEqualLines(lines: readonly string[], wanted: readonly string[]): number | null {
  const offsets = new Map<string, number>()
  wanted.forEach((line, index) => {
    const folded = fold(line)
    if (folded.length > 2 && !offsets.has(folded)) offsets.set(folded, index)
  })
  const votes = new Map<number, number>()
  lines.forEach((line, index) => {
    const offset = offsets.get(fold(line))
    if (offset !== undefined) votes.set(index - offset, (votes.get(index - offset) ?? 0) + 1)
  })
  return best(votes, 1)
}

function startByLikeness(lines: readonly string[], wanted: readonly string[]): number | null {
  const longest = wanted.reduce((winner, line, index) => {
    return line.trim().length > (wanted[winner] ?? '').trim().length ? index : winner
  }, 0)
  const target = (wanted[longest] ?? '').slice(0, maxComparedChars)
  const scores = new Map<number, number>()
  lines.slice(0, maxComparedLines).forEach((line, index) => {
    scores.set(index - longest, likeness(line.slice(0, maxComparedChars), target))
  })
  return best(scores, leastLikeness)
}

/** Returns the key with the highest score of at least `least`; the first of equal ones. */
function best(scores: ReadonlyMap<number, number>, least: number): number | null {
  let winner: number | null = null
  let highest = least
  for (const [key, score] of scores) {
    if (score > highest || (winner === null && score >= least)) {
      winner = key
      highest = score
    }
  }
  return winner
}

function fold(line: string): string {
  return foldPunctuation(line).replace(/\s+/g, ' ').trim()
}

/** Cuts a line between words: redaction would not recognize half a secret. */
function clipAtWord(line: string): string {
  return line.length <= maxShownChars ? line : `${line.slice(0, maxShownChars + 1).replace(/\S+$/, '')}…`
}
