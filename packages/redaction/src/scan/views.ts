import { type TextForm, unseenIn, unseenTable } from './unseen.ts'

interface VisiblePiece {
  readonly from: number
  to: number
}

/** Text as a reader sees it, with a mapping of its characters to places in the text itself. */
export interface View {
  readonly text: string
  /** Returns the index in the text itself of a character of the view; `limit` for the end. */
  placeOf(at: number): number
  /** Returns the number of characters of the view before an index of the text itself. */
  countBefore(place: number): number
  /** Returns the index, or the beginning of the unseen sequence that it lies in. */
  floor(place: number): number
}

/** Returns the view of a text without invisible parts. */
export function whole(text: string): View {
  return { text, placeOf: (at) => at, countBefore: (place) => place, floor: (place) => place }
}

/** Signs of sequences that only the screen hides: payloads, taken back characters, blanks at the right margin. */
const onScreenOnly = /\x08|\x1b[\]PX^_k]|[\x90\x98\x9d-\x9f]| \r(?!\n)/

export interface Views {
  readonly views: readonly View[]
  /** Index of a sequence that a further piece may finish; the views end there. */
  readonly limit: number
}

/**
 * Returns the views of a text: its letters without controls and, if different, the text on a screen. A secret may be
 * whole in either view, or only in the text itself.
 */
export function viewsOf(text: string, form: TextForm, isWhole: boolean): Views {
  const unseen = unseenIn(form)
  const table = unseenTable(form)
  const letters = seenRanges(text, { table, unseen: unseen.letters, takesBack: false })
  const screen = { table, unseen: unseen.screen, takesBack: true }
  const read = onScreenOnly.test(text) ? [letters, seenRanges(text, screen)] : [letters]
  const begun = isWhole ? [] : read.filter(({ last }) => unseen.unfinished.test(text.slice(last)))
  const limit = begun.reduce((least, { last }) => Math.min(least, last), text.length)
  return { views: read.map((seen) => viewOf(text.slice(0, limit), seen)), limit }
}

interface VisiblePieces {
  readonly ranges: readonly VisiblePiece[]
  /** Beginnings and ends of the invisible sequences, alternately. */
  readonly bounds: readonly number[]
  /** Index of the last invisible sequence; without one, the length of the text. */
  readonly last: number
}

interface UnseenRules {
  /** Table of the characters that may begin an invisible sequence. */
  readonly table: Uint8Array
  readonly unseen: RegExp
  /** True where a backspace takes back a character, and a return a blank before it. */
  readonly takesBack: boolean
}

function seenRanges(text: string, { table, unseen, takesBack }: UnseenRules): VisiblePieces {
  const ranges: VisiblePiece[] = []
  const bounds: number[] = []
  let from = 0
  for (let at = 0; at < text.length; at++) {
    if ((table[text.charCodeAt(at)] ?? 0) === 0) continue
    unseen.lastIndex = at
    if (!unseen.test(text)) continue
    if (at > from) ranges.push({ from, to: at })
    if (takesBack && isTaking(text, at)) takeBack(ranges)
    from = unseen.lastIndex
    bounds.push(at, from)
    at = from - 1
  }
  if (from < text.length) ranges.push({ from, to: text.length })
  return { ranges, bounds, last: bounds.at(-2) ?? text.length }
}

/** Tells whether a character takes back the one before: a backspace, or a return after a blank at the right margin. */
function isTaking(text: string, at: number): boolean {
  const sign = text.charAt(at)
  return sign === '\b' || (sign === '\r' && text.charAt(at - 1) === ' ' && text.charAt(at + 1) !== '\n')
}

function upTo(ranges: readonly VisiblePiece[], limit: number): readonly VisiblePiece[] {
  if ((ranges.at(-1)?.to ?? 0) <= limit) return ranges
  return ranges.filter(({ from }) => from < limit).map(({ from, to }) => ({ from, to: Math.min(to, limit) }))
}

function takeBack(ranges: VisiblePiece[]): void {
  const last = ranges.at(-1)
  if (last === undefined) return
  last.to -= 1
  if (last.to === last.from) ranges.pop()
}

function viewOf(text: string, seen: VisiblePieces): View {
  const ranges = upTo(seen.ranges, text.length)
  const { bounds } = seen
  /** Number of characters of the view before each range. */
  const before: number[] = []
  let count = 0
  for (const { from, to } of ranges) {
    before.push(count)
    count += to - from
  }
  const rangeAt = (isBefore: (index: number) => boolean) => lastIndexWhere(ranges.length, isBefore)
  return {
    text: ranges.map(({ from, to }) => text.slice(from, to)).join(''),
    placeOf(at) {
      if (at >= count) return text.length
      const index = rangeAt((one) => (before[one] ?? 0) <= at)
      return (ranges[index]?.from ?? 0) + at - (before[index] ?? 0)
    },
    countBefore(place) {
      const index = rangeAt((one) => (ranges[one]?.from ?? 0) < place)
      const range = ranges[index]
      return range === undefined ? 0 : (before[index] ?? 0) + Math.min(place, range.to) - range.from
    },
    floor(place) {
      const bound = lastIndexWhere(bounds.length, (one) => (bounds[one] ?? 0) <= place)
      return bound % 2 === 0 ? (bounds[bound] ?? place) : place
    },
  }
}

/** Returns the last index below `length` with an ordered property; -1 if no index has it. */
function lastIndexWhere(length: number, holds: (index: number) => boolean): number {
  let low = 0
  let high = length
  while (low < high) {
    const middle = (low + high) >> 1
    if (holds(middle)) low = middle + 1
    else high = middle
  }
  return low - 1
}
