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

export interface LineQuestion {
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
