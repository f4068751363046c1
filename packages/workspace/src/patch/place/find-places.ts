import type { Chunk, ChunkLine } from '../parse/parse-chunks.ts'
import { findHeadings, type HeadingAt } from './find-headings.ts'
import { findLines } from './find-lines.ts'
import { fitLines } from './fit-lines.ts'

/** Place in a file where a chunk fits. */
export interface ChunkPlace {
  /** Index of the first line that the chunk replaces, or before which it inserts. */
  readonly start: number
  /** Index after the last replaced line, from which the next chunk is searched. */
  readonly end: number
  /** Index of the outermost context line, or of the first line without one; earlier chunks end before it. */
  readonly from: number
  /** Lines of the chunk in the characters of the file, without a blank end that it does not have. */
  readonly lines: readonly ChunkLine[]
}

export type FoundPlaces =
  | { readonly found: 'places'; readonly places: readonly ChunkPlace[] }
  /** `from` is where the search for the context began. */
  | { readonly found: 'noContext'; readonly context: string; readonly from: number }
  | { readonly found: 'noLines'; readonly from: number }
  /** The lines are there, but not at the end of the file. */
  | { readonly found: 'notAtEnd'; readonly start: number }
  /** The lines are there in other characters, and the added lines cannot be translated into these for certain. */
  | { readonly found: 'otherCharacters'; readonly start: number; readonly count: number }
  /** The chunk only inserts, and only a line number gives its place. */
  | { readonly found: 'onlyNumber' }

interface Searched {
  readonly texts: readonly string[]
  /** First index that the chunk may be at. */
  readonly from: number
  readonly taken: readonly Pick<ChunkPlace, 'start' | 'end'>[]
}

/**
 * Returns every place that a chunk may mean, ascending. More than one is for the caller to refuse.
 *
 * The text decides. Headings and numbers only choose between places where it fits equally well.
 */
export function findPlaces(searched: Searched, chunk: Chunk): FoundPlaces {
  const isAddition = chunk.lines.every(({ kind }) => kind === 'insert')
  return isAddition ? placesOfAddition(searched, chunk) : placesOfReplacement(searched, chunk)
}

/** Finds where to insert: below each occurrence of the headings, or at the end of the file without one. */
function placesOfAddition({ texts, from }: Searched, { contexts, lines, oldLine, atEnd }: Chunk): FoundPlaces {
  const headings = findHeadings({ texts, from }, contexts)
  if (headings.missing !== null) return { found: 'noContext', ...headings.missing }
  const end = texts.length
  if (contexts.length > 0 && !atEnd) {
    const places = headings.at.map(({ first, last }) => ({ start: last + 1, end: last + 1, from: first, lines }))
    // A diff without context has the head of a function behind its number, however far below it adds lines.
    const numbered = oldLine === undefined ? places : places.filter(({ start }) => [start, start + 1].includes(oldLine))
    return numbered.length > 0 ? { found: 'places', places: numbered } : { found: 'onlyNumber' }
  }
  if (oldLine !== undefined && oldLine < end && !atEnd) return { found: 'onlyNumber' }
  // Later chunks may still lie above the end of the file.
  return { found: 'places', places: [{ start: end, end: from, from: end, lines }] }
}

function placesOfReplacement(searched: Searched, chunk: Chunk): FoundPlaces {
  const { texts, from } = searched
  for (let lines: readonly ChunkLine[] | null = chunk.lines; lines !== null; lines = withoutTrailingBlank(lines)) {
    const wanted = oldTexts(lines)
    if (wanted.length === 0) break
    const starts = chunk.atEnd ? matchesAtEnd(texts, wanted, from) : matchesBelow(searched, wanted)
    if (starts.length > 0) return fitted(texts, chosen(searched, starts, { ...chunk, lines }))
  }
  return chunk.atEnd ? missedEnd(texts, chunk, from) : { found: 'noLines', from }
}

/** Puts the characters of the file into the lines of each place. */
function fitted(texts: readonly string[], places: readonly ChunkPlace[]): FoundPlaces {
  const fitting: ChunkPlace[] = []
  for (const place of places) {
    const { start, end } = place
    const lines = fitLines(place.lines, texts.slice(start, end))
    if (lines === null) return { found: 'otherCharacters', start, count: end - start }
    fitting.push({ ...place, lines })
  }
  return { found: 'places', places: fitting }
}

/** Returns the matches below the last chunk; an empty list where a free line above fits better. */
function matchesBelow({ texts, from, taken }: Searched, wanted: readonly string[]): readonly number[] {
  const best = findLines({ lines: texts, wanted, from: 0 })
  const below = best.filter((start) => start >= from)
  const isFree = (start: number) => !taken.some((place) => start < place.end && place.start < start + wanted.length)
  return below.length > 0 || best.some(isFree) ? below : findLines({ lines: texts, wanted, from })
}

/** Compares the last lines only, leniently too. */
function matchesAtEnd(texts: readonly string[], wanted: readonly string[], from: number): readonly number[] {
  return findLines({ lines: texts, wanted, from: Math.max(from, texts.length - wanted.length) })
}

function missedEnd(texts: readonly string[], { lines }: Chunk, from: number): FoundPlaces {
  const [start] = findLines({ lines: texts, wanted: oldTexts(lines), from })
  return start === undefined ? { found: 'noLines', from } : { found: 'notAtEnd', start }
}

/** Returns the places of equal fit that headings and number leave. Where the two lead to different ones, both stay. */
function chosen({ texts, from }: Searched, starts: readonly number[], chunk: Chunk): readonly ChunkPlace[] {
  const { lines, contexts, oldLine } = chunk
  const length = oldTexts(lines).length
  const places = starts.map((start): ChunkPlace => ({ start, end: start + length, from: start, lines }))
  if (places.length === 1) return places
  const headed = belowHeadings(places, findHeadings({ texts, from: 0 }, contexts).at)
  const numbered = byNumber(places, oldLine)
  if (numbered === null) return headed.length > 0 ? headed.map((place) => inOrder(place, from)) : places
  const others = headed.some(({ start }) => start === numbered.start) ? [] : headed
  return [...others, numbered].toSorted((a, b) => a.start - b.start)
}

/** Lets no heading above the last chunk say where earlier chunks end. */
function inOrder(place: ChunkPlace, cursor: number): ChunkPlace {
  return place.from < cursor ? { ...place, from: place.start } : place
}

/** Distance in lines up to which a heading or a number that is not exact counts. */
const nearLines = 20
/** Distance in lines from which the next place does not compete with one that is near its number. */
const farLines = 100

/** Returns the places in the block of each heading, or else the first place below it where that is near. */
function belowHeadings(places: readonly ChunkPlace[], headings: readonly HeadingAt[]): readonly ChunkPlace[] {
  const reached = new Map<number, ChunkPlace>()
  for (const { first, last, end } of headings) {
    const below = places.filter(({ start }) => start >= last)
    const inside = below.filter(({ start }) => start < end)
    const near = below.slice(0, 1).filter(({ start }) => start - last <= nearLines)
    for (const place of inside.length > 0 ? inside : near) reached.set(place.start, { ...place, from: first })
  }
  return [...reached.values()].toSorted((a, b) => a.start - b.start)
}

/** Returns the place that the number of a chunk means; null where it is not clear, as a number may be made up. */
function byNumber(places: readonly ChunkPlace[], oldLine: number | undefined): ChunkPlace | null {
  if (oldLine === undefined) return null
  const distance = ({ start }: ChunkPlace) => Math.abs(start + 1 - oldLine)
  const [nearest, next] = places.toSorted((a, b) => distance(a) - distance(b))
  if (nearest === undefined) return null
  const isFar = next === undefined || distance(next) >= farLines
  return distance(nearest) === 0 || (distance(nearest) <= nearLines && isFar) ? nearest : null
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
