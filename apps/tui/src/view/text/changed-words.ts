import type { OffsetRange } from '@parley/presentation/text/span'

interface ChangedWords {
  /** Share of the line that is the same, 0-1. */
  readonly same: number
  readonly removed: readonly OffsetRange[]
  readonly added: readonly OffsetRange[]
}

/** Longest line that is compared word by word, in UTF-16 units. */
const maxLength = 1_000
/** Largest number of pairs of words that are compared. */
const maxPairs = 40_000
/** Share of a line that must be the same; below it the whole line has changed, and marks in it would only be noise. */
const leastSame = 0.4

/** Returns the words that differ between a removed and an added line; null if the lines have little in common. */
export function changedWords(removed: string, added: string): ChangedWords | null {
  if (removed.length > maxLength || added.length > maxLength) return null
  const [before, after] = [wordsOf(removed), wordsOf(added)]
  if (before.length * after.length > maxPairs) return null
  const same = commonWords(before, after)
  const length = same.reduce((sum, [index]) => sum + (before[index] ?? '').trim().length, 0)
  const longer = Math.max(removed.replaceAll(' ', '').length, added.replaceAll(' ', '').length)
  if (longer === 0 || length / longer < leastSame) return null
  return {
    same: length / longer,
    removed: rangesBeside(before, new Set(same.map(([index]) => index))),
    added: rangesBeside(after, new Set(same.map(([, index]) => index))),
  }
}

function wordsOf(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}\p{M}_]+| +|./gsu) ?? []
}

/** Returns the indices of a longest common sequence of words, in order. */
function commonWords(before: readonly string[], after: readonly string[]): readonly (readonly [number, number])[] {
  const width = after.length + 1
  const lengths = new Uint16Array((before.length + 1) * width)
  const at = (row: number, column: number) => lengths[row * width + column] ?? 0
  for (let row = before.length - 1; row >= 0; row--) {
    for (let column = after.length - 1; column >= 0; column--) {
      const isSame = before[row] === after[column]
      const longest = isSame ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1))
      lengths[row * width + column] = longest
    }
  }
  const pairs: (readonly [number, number])[] = []
  for (let row = 0, column = 0; row < before.length && column < after.length; ) {
    if (before[row] === after[column]) pairs.push([row++, column++])
    else if (at(row + 1, column) >= at(row, column + 1)) row += 1
    else column += 1
  }
  return pairs
}

/** Returns the ranges of the words that are not among `same`; blanks between two of them belong to one range. */
function rangesBeside(words: readonly string[], same: ReadonlySet<number>): readonly OffsetRange[] {
  const ranges: OffsetRange[] = []
  let offset = 0
  for (const [index, word] of words.entries()) {
    const end = offset + word.length
    const last = ranges.at(-1)
    const isBlankBetween = word.trim() === '' && index + 1 < words.length && !same.has(index + 1)
    if (!same.has(index) || (last?.end === offset && isBlankBetween)) {
      if (last?.end === offset) ranges[ranges.length - 1] = { start: last.start, end }
      else ranges.push({ start: offset, end })
    }
    offset = end
  }
  return ranges
}
