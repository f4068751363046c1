import { likeness } from '../../look-up/nearest-names.ts'

/** From the strictest to the most lenient; a pass scans everything before the next one begins. */
const passes: ReadonlyArray<(line: string) => string> = [
  (line) => line,
  (line) => line.trimEnd(),
  (line) => line.trim(),
  (line) => foldPunctuation(line.trim()),
]

const foldedCharacters: ReadonlyArray<readonly [RegExp, string]> = [
  [/[\u2010-\u2015\u2212]/g, '-'],
  [/[\u2018-\u201b]/g, "'"],
  [/[\u201c-\u201f]/g, '"'],
  [/[\u00a0\u2002-\u200a\u202f\u205f\u3000]/g, ' '],
]

/** Typographic dashes, quotes and blanks become their ASCII kin: models tend to write those. */
export function foldPunctuation(text: string): string {
  return foldedCharacters.reduce((folded, [characters, plain]) => folded.replace(characters, plain), text)
}

interface LineQuestion {
  readonly lines: readonly string[]
  /** Consecutive lines to find; none are found at once. */
  readonly wanted: readonly string[]
  /** First index to look at. */
  readonly from: number
  /** Prefer the very end of the lines. */
  readonly atEnd?: boolean
}

/** The index where `wanted` begins, or null. With `atEnd` every pass is tried at the end before the search begins. */
export function findLines({ lines, wanted, from, atEnd = false }: LineQuestion): number | null {
  const last = lines.length - wanted.length
  if (last < from) return null
  if (atEnd) {
    const found = searchPasses(lines, wanted, [last, last])
    if (found !== null) return found
  }
  return searchPasses(lines, wanted, [from, last])
}

type Span = readonly [first: number, last: number]

function searchPasses(lines: readonly string[], wanted: readonly string[], [first, last]: Span): number | null {
  for (const normalise of passes) {
    const targets = wanted.map(normalise)
    for (let start = first; start <= last; start++) {
      if (targets.every((target, offset) => normalise(lines[start + offset] ?? '') === target)) return start
    }
  }
  return null
}

const maxShownLines = 12
const maxShownChars = 160
const maxComparedLines = 20_000
const maxComparedChars = 160
const leastLikeness = 0.5

/** What a model needs to mend its patch: the numbered lines of the file that look most like the wanted ones. */
export function describeNearest(lines: readonly string[], wanted: readonly string[]): string {
  if (lines.length === 0) return '\nThe file is empty.'
  const start = nearestStart(lines, wanted)
  if (start === null) return `\nNothing in its ${lines.length} lines looks like that; read the file again.`
  const shown = lines.slice(start, start + Math.min(wanted.length, maxShownLines))
  const numbered = shown.map((line, offset) => `${String(start + offset + 1).padStart(6)}\t${clipAtWord(line)}`)
  return `\nThe nearest lines of the file are:\n${numbered.join('\n')}`
}

/** Where the wanted lines most likely begin: by equal lines if there are any, else by the likeness of the longest. */
export function nearestStart(lines: readonly string[], wanted: readonly string[]): number | null {
  const start = startByEqualLines(lines, wanted) ?? startByLikeness(lines, wanted)
  return start === null ? null : Math.min(Math.max(0, start), lines.length - 1)
}

/** Each line that equals a wanted one votes for where the block would then begin. */
function startByEqualLines(lines: readonly string[], wanted: readonly string[]): number | null {
  const places = new Map<string, number>()
  wanted.forEach((line, index) => {
    const folded = fold(line)
    if (folded.length > 2 && !places.has(folded)) places.set(folded, index)
  })
  const votes = new Map<number, number>()
  lines.forEach((line, index) => {
    const place = places.get(fold(line))
    if (place !== undefined) votes.set(index - place, (votes.get(index - place) ?? 0) + 1)
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

/** The key with the highest score of at least `least`; the first of equals. */
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

/** Not within a word: half a secret would not be known for one, and be told. */
function clipAtWord(line: string): string {
  return line.length <= maxShownChars ? line : `${line.slice(0, maxShownChars + 1).replace(/\S+$/, '')}…`
}
