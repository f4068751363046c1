import { greatest } from '@parley/text'
import type { Chunk } from '../parse/parse-chunks.ts'
import { editAt, endOfUnclosed, isClosed, replaceLines } from './edit-lines.ts'
import { describeNearest, findLines, quoteLines } from './find-lines.ts'
import { type ChunkPlace, findPlaces, oldTexts } from './find-places.ts'
import type { TextFile, TextLine } from './text-file.ts'

interface ChunkFailure {
  readonly code: 'contextNotFound' | 'linesNotFound' | 'ambiguousPlace'
  /** First line of the chunk in the patch. */
  readonly line: number
  readonly message: string
}

export type AppliedChunks =
  | { readonly ok: true; readonly file: TextFile }
  | { readonly ok: false; readonly failures: readonly ChunkFailure[] }

/** File with the index that the search for the next chunk starts from. */
interface Cursor {
  readonly path: string
  readonly texts: readonly string[]
  readonly from: number
  readonly taken: readonly ChunkPlace[]
  /** True when failures may quote the file. */
  readonly quoting: boolean
}

/** Chunk with the places it fits in; it is put at the first. */
interface PlacedChunk {
  readonly chunk: Chunk
  readonly places: readonly [ChunkPlace, ...ChunkPlace[]]
}

/**
 * Applies chunks, which must be in file order. Reports every chunk that does not match, or that may mean two places.
 *
 * Kept lines are copied from the file, so a lenient match never rewrites them.
 */
export function applyChunks(path: string, file: TextFile, chunks: readonly Chunk[], quoting = true): AppliedChunks {
  const texts = file.lines.map(({ text }) => text)
  const placed: PlacedChunk[] = []
  const failures: ChunkFailure[] = []
  const taken: ChunkPlace[] = []
  let from = 0
  for (const chunk of chunks) {
    const match = placeChunk({ path, texts, from, taken, quoting }, chunk)
    if ('code' in match) failures.push(match)
    else {
      placed.push(match)
      taken.push(match.places[0])
      from = match.places[0].end
    }
  }
  if (failures.length === 0)
    for (const failure of ambiguousChunks(file, placed, { path, texts, from: 0, taken: [], quoting }))
      failures.push(failure)
  if (failures.length > 0) return { ok: false, failures }
  const edits = placed.map(({ places: [place] }) => editAt(file, place))
  return { ok: true, file: { ...file, lines: replaceLines(file.lines, edits, isClosed(file.lines)) } }
}

function placeChunk(cursor: Cursor, chunk: Chunk): PlacedChunk | ChunkFailure {
  const search = findPlaces(cursor, chunk)
  switch (search.found) {
    case 'noContext':
      return contextFailure({ ...cursor, from: search.from }, chunk, search.context)
    case 'noLines':
      return linesFailure({ ...cursor, from: search.from }, chunk)
    case 'notAtEnd':
      return notAtEnd(cursor, chunk, search.start)
    case 'onlyNumber':
      return onlyNumber(cursor, chunk)
    case 'otherCharacters':
      return otherCharacters(cursor, chunk, search)
    case 'places': {
      const [first, ...others] = search.places
      return first === undefined ? linesFailure(cursor, chunk) : { chunk, places: [first, ...others] }
    }
  }
}

/**
 * Finds chunks that would make another file elsewhere. From the last chunk up, each is put as late as the next one leaves
 * room: where that is not its first place, the patch has two readings.
 */
function ambiguousChunks(file: TextFile, placed: readonly PlacedChunk[], cursor: Cursor): readonly ChunkFailure[] {
  const failures: ChunkFailure[] = []
  let before = Number.POSITIVE_INFINITY
  for (const { chunk, places } of placed.toReversed()) {
    const possible = places.filter(({ end }) => end <= before)
    const pairs = possible.slice(1).map((place, index) => [possible[index] ?? place, place] as const)
    const differing = pairs.find(([one, other]) => !isSameChange(file, one, other))
    if (differing !== undefined) failures.unshift(ambiguous(cursor, chunk, differing))
    const latest = possible.at(-1) ?? places[0]
    before = Math.min(before, latest.from)
  }
  return failures
}

/** Tests if a chunk makes the same file at both places, as the removal of one of two equal lines next to each other. */
function isSameChange(file: TextFile, one: ChunkPlace, other: ChunkPlace): boolean {
  const edits = [editAt(file, one), editAt(file, other)]
  const end = greatest(edits.map(({ start, removed }) => start + removed))
  const [changed = [], changedElse = []] = edits.map(({ start, removed, lines }) => [
    ...file.lines.slice(one.start, start),
    ...lines,
    ...file.lines.slice(start + removed, end),
  ])
  const isSame = (a: TextLine, b: TextLine | undefined) =>
    a.text === b?.text && (a.end || endOfUnclosed(file.lines)) === (b.end || endOfUnclosed(file.lines))
  return changed.length === changedElse.length && changed.every((line, index) => isSame(line, changedElse[index]))
}

function contextFailure(cursor: Cursor, { line }: Chunk, context: string): ChunkFailure {
  const message = `Failed to find the context line '${context}' in ${cursor.path}.${hint(cursor, [context])}`
  return { code: 'contextNotFound', line, message }
}

function linesFailure(cursor: Cursor, { lines, line }: Chunk): ChunkFailure {
  const wanted = oldTexts(lines)
  const intro = `Failed to find the expected lines of the chunk on line ${line} in ${cursor.path}:`
  const message = `${intro}\n${wanted.join('\n')}${hint(cursor, wanted)}`
  return { code: 'linesNotFound', line, message }
}

function notAtEnd({ path, quoting }: Cursor, { line }: Chunk, start: number): ChunkFailure {
  const where = quoting ? ` They are at line ${start + 1}.` : ''
  const message = `The lines of the chunk on line ${line} are not at the end of ${path}, where *** End of File puts them.${where} Leave that marker out, or give the last lines of the file.`
  return { code: 'linesNotFound', line, message }
}

function otherCharacters(
  { path, texts, quoting }: Cursor,
  { line }: Chunk,
  { start, count }: { readonly start: number; readonly count: number },
): ChunkFailure {
  const shown = quoting ? quoteLines(texts, start, count) : ''
  const message = `The lines of the chunk on line ${line} are in ${path} with other indentation, quotes, dashes or blanks, and how the added lines are to look there is not clear. Give them exactly as the file has them.${shown}`
  return { code: 'linesNotFound', line, message }
}

function onlyNumber({ path }: Cursor, { line, oldLine }: Chunk): ChunkFailure {
  const message = `The chunk on line ${line} only adds lines, and only the number ${oldLine} says where in ${path}. Line numbers choose between equal places and nothing else: give a line of the file next to them.`
  return { code: 'ambiguousPlace', line, message }
}

function ambiguous(
  { path, quoting }: Cursor,
  { line, contexts }: Chunk,
  places: readonly [ChunkPlace, ChunkPlace],
): ChunkFailure {
  const [one, other] = places.map(({ start }) => start + 1)
  const where = quoting ? `at line ${one} and at line ${other}` : 'in two places'
  const more =
    contexts.length === 0
      ? 'more lines around it, or put @@ and a line above it before the chunk'
      : 'more lines around it, or a second @@ line further out'
  const message = `The chunk on line ${line} fits in ${path} ${where}, so it was applied at neither. Give ${more}; to mean the one near a line, begin the chunk with its number as in "@@ -${one} +${one} @@".`
  return { code: 'ambiguousPlace', line, message }
}

function hint({ texts, from, quoting }: Cursor, wanted: readonly string[]): string {
  if (!quoting) return ''
  const [earlier] = findLines({ lines: texts, wanted, from: 0 })
  if (earlier === undefined) return describeNearest(texts, wanted)
  return `\nThey are at line ${earlier + 1}, above line ${from + 1} where the search began: chunks must come in file order.`
}
