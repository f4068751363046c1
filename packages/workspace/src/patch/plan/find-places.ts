import { findLines } from './find-lines.ts'
import type { Chunk, ChunkLine } from './parse-chunks.ts'

/** Place in a file where a chunk fits. */
export interface Place {
  /** Index of the first line that the chunk replaces, or before which it inserts. */
  readonly start: number
  /** Index after the last replaced line, from which the next chunk is searched. */
  readonly end: number
  /** Index of the outermost context line, or of the first line without one; earlier chunks end before it. */
  readonly from: number
  /** Lines of the chunk, without a blank end that the file does not have. */
  readonly lines: readonly ChunkLine[]
}

export type FoundPlaces =
  | { readonly found: 'places'; readonly places: readonly Place[] }
  /** `from` is where the search for the context began. */
  | { readonly found: 'noContext'; readonly context: string; readonly from: number }
  | { readonly found: 'noLines'; readonly from: number }
  /** The lines are there, but not at the end of the file. */
  | { readonly found: 'notAtEnd'; readonly start: number }
  /** The chunk only inserts, and nothing but a line number says where. */
  | { readonly found: 'onlyNumber' }

interface Searched {
  readonly texts: readonly string[]
  /** First index that the chunk may be at. */
  readonly from: number
}

/** Returns every place that a chunk may mean, ascending. More than one is for the caller to refuse. */
export function findPlaces(searched: Searched, chunk: Chunk): FoundPlaces {
  const contexts = findContexts(searched, chunk.contexts)
  if ('found' in contexts) return contexts
  const isAddition = chunk.lines.every(({ kind }) => kind === 'insert')
  return isAddition ? placesOfAddition(searched, chunk, contexts) : placesOfReplacement(searched, chunk, contexts)
}

/** Occurrence of the context lines of a chunk: the outermost, and the innermost, below which the chunk applies. */
interface ContextAt {
  readonly first: number
  readonly last: number
}

/** Finds the context lines: each outermost one with the nearest inner ones below it. Empty for a chunk without any. */
function findContexts({ texts, from }: Searched, contexts: readonly string[]): readonly ContextAt[] | FoundPlaces {
  let chains: ContextAt[] = []
  for (const [depth, context] of contexts.entries()) {
    const below = depth === 0 ? from : (chains[0]?.last ?? 0) + 1
    const at = findLines({ lines: texts, wanted: [context], from: below })
    if (at.length === 0) return { found: 'noContext', context, from: below }
    if (depth === 0) chains = at.map((index) => ({ first: index, last: index }))
    else chains = continued(chains, at)
  }
  return chains
}

/** Continues each chain with the first index after it; drops those without one. Both lists ascend. */
function continued(chains: readonly ContextAt[], at: readonly number[]): ContextAt[] {
  let next = 0
  return chains.flatMap(({ first, last }) => {
    while ((at[next] ?? Number.POSITIVE_INFINITY) <= last) next += 1
    const index = at[next]
    return index === undefined ? [] : [{ first, last: index }]
  })
}

/** Finds where to insert: below each occurrence of the context, or at the end of the file without one. */
function placesOfAddition({ texts, from }: Searched, chunk: Chunk, contexts: readonly ContextAt[]): FoundPlaces {
  const { lines, oldLine, atEnd } = chunk
  const end = texts.length
  if (contexts.length > 0 && !atEnd) {
    const places = contexts.map(({ first, last }) => ({ start: last + 1, end: last + 1, from: first, lines }))
    return { found: 'places', places: nearest(places, chunk) }
  }
  if (oldLine !== undefined && oldLine < end && !atEnd) return { found: 'onlyNumber' }
  // Later chunks may still lie above the end of the file.
  return { found: 'places', places: [{ start: end, end: from, from: end, lines }] }
}

function placesOfReplacement({ texts, from }: Searched, chunk: Chunk, contexts: readonly ContextAt[]): FoundPlaces {
  const below = contexts[0]?.last ?? from
  for (let lines: readonly ChunkLine[] | null = chunk.lines; lines !== null; lines = withoutTrailingBlank(lines)) {
    const wanted = oldTexts(lines)
    if (wanted.length === 0) break
    const starts = chunk.atEnd ? matchesAtEnd(texts, wanted, below) : findLines({ lines: texts, wanted, from: below })
    const places = placesAt(starts, { ...chunk, lines }, contexts)
    if (places.length > 0) return { found: 'places', places }
  }
  return chunk.atEnd ? missedEnd(texts, chunk, below) : { found: 'noLines', from: below }
}

/** Compares the last lines only, leniently too. */
function matchesAtEnd(texts: readonly string[], wanted: readonly string[], from: number): readonly number[] {
  return findLines({ lines: texts, wanted, from: Math.max(from, texts.length - wanted.length) })
}

function missedEnd(texts: readonly string[], { lines }: Chunk, from: number): FoundPlaces {
  const [start] = findLines({ lines: texts, wanted: oldTexts(lines), from })
  return start === undefined ? { found: 'noLines', from } : { found: 'notAtEnd', start }
}

/**
 * Returns the places among matches: all without a context, else the nearest at or below each occurrence. Models often
 * repeat the context line as the first line of the chunk, so it counts too.
 */
function placesAt(starts: readonly number[], chunk: Chunk, contexts: readonly ContextAt[]): readonly Place[] {
  const { lines, oldLine } = chunk
  const length = oldTexts(lines).length
  const placeAt = (start: number, from: number): Place => ({ start, end: start + length, from, lines })
  const [first] = contexts
  if (first === undefined)
    return nearest(
      starts.map((start) => placeAt(start, start)),
      chunk,
    )
  const reached = new Map<number, Place>()
  const all = oldLine === undefined ? [] : starts.map((start) => [first, start] as const)
  for (const [{ first: from }, start] of [...all, ...belowEach(contexts, starts)])
    reached.set(start, placeAt(start, from))
  return nearest(
    [...reached.values()].toSorted((a, b) => a.start - b.start),
    chunk,
  )
}

/** Pairs each occurrence of the context with the match at it and the first one below it. Both lists ascend. */
function belowEach(
  contexts: readonly ContextAt[],
  starts: readonly number[],
): readonly (readonly [ContextAt, number])[] {
  let next = 0
  return contexts.flatMap((context) => {
    while ((starts[next] ?? Number.POSITIVE_INFINITY) < context.last) next += 1
    const found = starts[next] === context.last ? starts.slice(next, next + 2) : starts.slice(next, next + 1)
    return found.map((start) => [context, start] as const)
  })
}

/** Keeps the places nearest to the line number of the chunk, two where they are equally near; all without a number. */
function nearest(places: readonly Place[], { oldLine }: Chunk): readonly Place[] {
  if (oldLine === undefined) return places
  const distance = ({ start }: Place) => Math.abs(start + 1 - oldLine)
  const least = places.reduce((found, place) => Math.min(found, distance(place)), Number.POSITIVE_INFINITY)
  return places.filter((place) => distance(place) === least)
}

export function oldTexts(lines: readonly ChunkLine[]): string[] {
  return lines.filter(({ kind }) => kind !== 'insert').map(({ text }) => text)
}

/** Drops a blank last old line and, if it was removed, a blank last new line. Returns null when the last old line is not blank. */
function withoutTrailingBlank(lines: readonly ChunkLine[]): readonly ChunkLine[] | null {
  const old = lines.findLastIndex(({ kind }) => kind !== 'insert')
  if (lines[old]?.text !== '') return null
  const shorter = lines.toSpliced(old, 1)
  const added = shorter.findLastIndex(({ kind }) => kind === 'insert')
  const blankAdded = lines[old].kind === 'remove' && added === shorter.length - 1 && shorter[added]?.text === ''
  return blankAdded ? shorter.toSpliced(added, 1) : shorter
}
