import { hasText, patternOf, searchedText, type TextQuery } from '@parley/presentation/items/item-text'
import { type Line, lineText, type OffsetRange, type Room, type Span } from '@parley/presentation/text/span'
import type { PagerEntry } from './entry.ts'
import { searchedRows } from './entry-rows.ts'
import { plainRows } from './opened-rows.ts'

/** Returns the rows of an entry, with the whole item opened, at which the text begins. */
export function matchingRows(entry: PagerEntry, query: TextQuery, room: Room): readonly number[] {
  if (entry.kind === 'gap' || query === '') return []
  if (entry.kind === 'chunk')
    return entry.chunk === null || !hasText(entry.chunk.text, query)
      ? []
      : rowsWith(plainRows(entry.chunk.text, room), query)
  return hasText(searchedText(entry.item), query) ? rowsWith(searchedRows(entry.item, room), query) : []
}

/** Returns the rows with a match; the first row for a match that lies across rows or in a hidden part. */
function rowsWith(rows: readonly Line[], query: TextQuery): readonly number[] {
  const found = rows.flatMap((row, index) => (hasText(lineText(row), query) ? [index] : []))
  return found.length > 0 ? found : rows.length > 0 ? [0] : []
}

/** Returns the line with each match shown in reverse. */
export function highlighted(line: Line, query: TextQuery): Line {
  if (query === '') return line
  const found = [...lineText(line).matchAll(patternOf(query))].map(({ 0: text, index }) => ({
    start: index,
    end: index + text.length,
  }))
  if (found.length === 0) return line
  let offset = 0
  return line.flatMap((span) => {
    const pieces = cutSpan(span, offset, found)
    offset += span.text.length
    return pieces
  })
}

function cutSpan(span: Span, offset: number, ranges: readonly OffsetRange[]): readonly Span[] {
  const pieces: Span[] = []
  let at = 0
  for (const { start, end } of ranges) {
    const from = Math.max(at, Math.min(span.text.length, start - offset))
    const to = Math.max(from, Math.min(span.text.length, end - offset))
    if (from > at) pieces.push({ ...span, text: span.text.slice(at, from) })
    if (to > from) pieces.push({ ...span, text: span.text.slice(from, to), inverse: true })
    at = to
  }
  return at < span.text.length ? [...pieces, { ...span, text: span.text.slice(at) }] : pieces
}
