import type { Haystack } from './haystack.ts'
import { contextLength, type Pattern, type SecretMatch } from './pattern.ts'
import { type IndexedPattern, maxOffset, type PatternIndex } from './pattern-index.ts'

export interface TextScan {
  readonly found: readonly SecretMatch[]
  /** Index up to which the text is decided; from there on it depends on what follows. */
  readonly settled: number
  /** True if part of the text is invisible, so that this result is incomplete: `scanSeen` finds the rest. */
  readonly hides: boolean
}

interface ScanWindow {
  /** Index to scan from; text before it is context only. */
  readonly from: number
  /** True when nothing follows the text. */
  readonly whole: boolean
  /** True when a secret ends at `from`. */
  readonly afterSecret: boolean
}

/**
 * Finds the secrets of a text from left to right, without overlaps. A result depends only on the text around its place,
 * so a text in pieces has the same results as the whole.
 */
export function scan(index: PatternIndex, hay: Haystack, { from, whole, afterSecret }: ScanWindow): TextScan {
  const found: SecretMatch[] = []
  let free = from
  let ended = afterSecret ? from : -1
  for (let at = hay.next(from); at >= 0; at = hay.next(at + 1)) {
    if (hay.hides(at)) return { found, settled: free, hides: true }
    const hit = matchAt(index, hay, { at, free, ended, whole })
    if (hit === null) continue
    if (typeof hit === 'number') return { found, settled: Math.max(free, hit - maxOffset), hides: false }
    for (const inner of withinPrefix(index, hay, at + 1, hit)) found.push(inner)
    found.push(hit)
    free = hit.end
    ended = hit.end
  }
  return { found, settled: whole ? hay.length : beginningAtEnd(index, hay, { free, ended }), hides: false }
}

const nothing: readonly IndexedPattern[] = []

interface Spot {
  readonly at: number
  readonly free: number
  readonly ended: number
  readonly whole: boolean
}

/** Returns the match with a trigram that ends at `at`. A number is the start of a match that needs more text. */
function matchAt(
  { byTrigram }: PatternIndex,
  hay: Haystack,
  { at, free, ended, whole }: Spot,
): SecretMatch | number | null {
  for (const { pattern, offset } of byTrigram.get(hay.trigramAt(at)) ?? nothing) {
    const start = at - offset
    if (start < free || !hasPrefix(hay, pattern, start)) continue
    const text = hay.text()
    if (start !== ended && !pattern.mayBegin(text, start)) continue
    const match = pattern.match(text, start, whole)
    if (match === 'more') return start
    if (match !== 'no') return match
  }
  return null
}

/** Tells whether a pattern's prefix, as far as the text goes, stands at `start`. */
function hasPrefix(hay: Haystack, { prefix, anyCase }: Pattern, start: number): boolean {
  const length = Math.min(prefix.length, hay.length - start)
  for (let index = 0; index < length; index++) {
    const code = hay.codeAt(start + index)
    const folded = anyCase && code >= 65 && code <= 90 ? code + 32 : code
    if (folded !== prefix.charCodeAt(index)) return false
  }
  return true
}

/** Finds secrets between the start of a match and its secret part, such as a user name before a URL's password. */
function withinPrefix(
  index: PatternIndex,
  hay: Haystack,
  from: number,
  { start }: SecretMatch,
): readonly SecretMatch[] {
  const least = 8
  if (start - from < least) return []
  return scan(index, endedAt(start, hay), { from, whole: true, afterSecret: false }).found
}

/** Returns the part of a haystack before an index. */
function endedAt(length: number, hay: Haystack): Haystack {
  const { hides, trigramAt, codeAt, slice } = hay
  const text = hay.text().slice(0, length)
  return {
    length,
    next(from) {
      const at = hay.next(from)
      return at < length ? at : -1
    },
    hides,
    trigramAt,
    codeAt,
    slice,
    text: () => text,
  }
}

/** Returns the index of the first pattern that the end of the text may begin; without one, the length of the text. */
function beginningAtEnd(
  { beginnings, longestBeginning }: PatternIndex,
  hay: Haystack,
  { free, ended }: { readonly free: number; readonly ended: number },
): number {
  const { length } = hay
  const furthest = Math.min(longestBeginning, length - free)
  if (furthest === 0) return length
  const first = Math.max(0, length - furthest - contextLength)
  const text = hay.slice(first, length)
  for (let start = length - furthest; start < length; start++) {
    const tail = text.slice(start - first)
    const anyCase = beginnings.get(tail.toLowerCase())?.filter((pattern) => pattern.anyCase) ?? []
    const known = [...(beginnings.get(tail) ?? []), ...anyCase]
    if (known.some((pattern) => start === ended || pattern.mayBegin(text, start - first))) return start
  }
  return length
}
