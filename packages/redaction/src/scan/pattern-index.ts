import { trigramCount, trigramOf } from './haystack.ts'
import type { Pattern } from './pattern.ts'

/** Patterns by three characters of their prefix, chosen to be rare in text. */
export interface PatternIndex {
  /** Table of trigrams: 1 for each that a pattern has. */
  readonly marked: Uint8Array
  readonly byTrigram: ReadonlyMap<number, readonly IndexedPattern[]>
  /** Patterns by each beginning of their prefix that is too short to contain the trigram. */
  readonly beginnings: ReadonlyMap<string, readonly Pattern[]>
  readonly longestBeginning: number
}

export interface IndexedPattern {
  readonly pattern: Pattern
  /** Distance from the pattern's first character to the trigram's last. */
  readonly offset: number
}

/** Greatest distance of the trigram from its prefix's start. A smaller one lets a stream hold back less text. */
export const maxOffset = 8

export function indexPatterns(patterns: readonly Pattern[]): PatternIndex {
  const marked = new Uint8Array(trigramCount)
  const byTrigram = new Map<number, readonly IndexedPattern[]>()
  const beginnings = new Map<string, Pattern[]>()
  for (const pattern of patterns) {
    const { prefix, anyCase } = pattern
    const first = rarestTrigram(pattern)
    for (const trigram of trigramsOf(prefix.slice(first, first + 3), anyCase)) {
      marked[trigram] = 1
      byTrigram.set(trigram, [...(byTrigram.get(trigram) ?? []), { pattern, offset: first + 2 }])
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

/** Returns the index of the rarest trigram of a prefix. Plain loops, since it runs unoptimised at a server's first turn. */
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
