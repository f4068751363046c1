import { contextLength, type Found, type Pattern } from './pattern.ts'
import { type Haystack, trigramCount, trigramOf } from './trigrams.ts'

/** What to look for, by three characters of each. */
export interface PatternIndex {
  readonly marked: Uint8Array
  readonly byTrigram: ReadonlyMap<number, readonly Place[]>
  /** Beginnings of patterns, up to before the trigram they are found by is whole. */
  readonly beginnings: ReadonlyMap<string, readonly Pattern[]>
  readonly longestBeginning: number
}

interface Place {
  readonly pattern: Pattern
  /** From its first character to the trigram's last. */
  readonly offset: number
}

const nothing: readonly Place[] = []

export interface Scan {
  readonly found: readonly Found[]
  /** What comes before is decided; from here on it depends on what follows. */
  readonly settled: number
}

/** How far into a pattern its trigram may lie; less of a text has to wait for what follows when it is near the start. */
const maxOffset = 8

export function indexPatterns(patterns: readonly Pattern[]): PatternIndex {
  const marked = new Uint8Array(trigramCount)
  const byTrigram = new Map<number, readonly Place[]>()
  const beginnings = new Map<string, Pattern[]>()
  for (const pattern of patterns) {
    const { prefix, anyCase } = pattern
    const first = rarestTrigram(pattern)
    for (const trigram of trigramsOf(prefix.slice(first, first + 3), anyCase)) {
      marked[trigram] = 1
      byTrigram.set(trigram, [...(byTrigram.get(trigram) ?? nothing), { pattern, offset: first + 2 }])
    }
    for (let length = 1; length < first + 3; length++) {
      const beginning = prefix.slice(0, length)
      const known = beginnings.get(beginning)
      if (known === undefined) beginnings.set(beginning, [pattern])
      else known.push(pattern)
    }
  }
  return { marked, byTrigram, beginnings, longestBeginning: maxOffset + 2 }
}

/** Where in a prefix the three characters begin that text has least. Plain loops: it runs cold, at each server's first turn. */
function rarestTrigram({ prefix, anyCase }: Pattern): number {
  let rarest = 0
  let most = Number.NEGATIVE_INFINITY
  let first = rarityOf(prefix.charAt(0), anyCase)
  let second = rarityOf(prefix.charAt(1), anyCase)
  for (let start = 0; start < maxOffset && start + 2 < prefix.length; start++) {
    const third = rarityOf(prefix.charAt(start + 2), anyCase)
    const rarity = first + second + third
    if (rarity > most) {
      rarest = start
      most = rarity
    }
    first = second
    second = third
  }
  return rarest
}

function rarityOf(sign: string, anyCase: boolean): number {
  if ('jqxzkvwy'.includes(sign)) return 2
  if ('etaoinsr -'.includes(sign)) return -1
  return !anyCase && sign >= 'A' && sign <= '_' ? 1 : 0
}

function trigramsOf(text: string, anyCase: boolean): readonly number[] {
  if (!anyCase) return [trigramIn(text)]
  const spellings = [...text].reduce<string[]>(
    (known, sign) => known.flatMap((start) => [start + sign, start + sign.toUpperCase()]),
    [''],
  )
  return [...new Set(spellings.map(trigramIn))]
}

function trigramIn(text: string): number {
  return trigramOf(text.charCodeAt(0), text.charCodeAt(1), text.charCodeAt(2))
}

interface Range {
  /** What comes before is only looked back at. */
  readonly from: number
  /** Nothing follows. */
  readonly whole: boolean
  /** A secret ends just before. */
  readonly afterSecret: boolean
}

/**
 * The secrets of a text from left to right, none overlapping another. What it says of a place depends on what surrounds
 * that place and on nothing else, so a text in pieces comes to the same as the whole.
 */
export function scan(index: PatternIndex, hay: Haystack, { from, whole, afterSecret }: Range): Scan {
  const found: Found[] = []
  let free = from
  let ended = afterSecret ? from : -1
  for (let at = hay.next(from); at >= 0; at = hay.next(at + 1)) {
    const hit = matchAt(index, hay, { at, free, ended, whole })
    if (hit === null) continue
    if (typeof hit === 'number') return { found, settled: Math.max(free, hit - maxOffset) }
    found.push(...withinPrefix(index, hay, at + 1, hit), hit)
    free = hit.end
    ended = hit.end
    at = Math.max(at, hit.end - 1)
  }
  return { found, settled: whole ? hay.length : beginningAtEnd(index, hay, { free, ended }) }
}

interface Spot {
  readonly at: number
  readonly free: number
  readonly ended: number
  readonly whole: boolean
}

/** A number is where something begins of which the end is not there yet. */
function matchAt({ byTrigram }: PatternIndex, hay: Haystack, { at, free, ended, whole }: Spot): Found | number | null {
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

/** As far as the text goes. */
function hasPrefix(hay: Haystack, { prefix, anyCase }: Pattern, start: number): boolean {
  const length = Math.min(prefix.length, hay.length - start)
  for (let index = 0; index < length; index++) {
    const code = hay.codeAt(start + index)
    const folded = anyCase && code >= 65 && code <= 90 ? code + 32 : code
    if (folded !== prefix.charCodeAt(index)) return false
  }
  return true
}

/** Some begin well before what is secret of them, such as a URL with its password: another may lie in between. */
function withinPrefix(index: PatternIndex, hay: Haystack, from: number, { start }: Found): readonly Found[] {
  const least = 8
  if (start - from < least) return []
  const text = hay.text().slice(0, start)
  const before = { ...hay, length: start, text: () => text, next: limitedNext(hay, start) }
  return scan(index, before, { from, whole: true, afterSecret: false }).found
}

function limitedNext(hay: Haystack, limit: number): (from: number) => number {
  return (from) => {
    const at = hay.next(from)
    return at < limit ? at : -1
  }
}

/** Where the text ends in the beginning of a pattern: up to there it is settled. */
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
    const known = [...(beginnings.get(tail) ?? []), ...(beginnings.get(tail.toLowerCase())?.filter(isAnyCase) ?? [])]
    if (known.some((pattern) => start === ended || pattern.mayBegin(text, start - first))) return start
  }
  return length
}

function isAnyCase({ anyCase }: Pattern): boolean {
  return anyCase
}
