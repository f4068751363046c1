/**
 * Matches characters that may join with a neighbour into one grapheme: marks, joiners, selectors, jamo, astral
 * characters, controls. Text without them needs no segmenter.
 */
const joining =
  /[^ -~\u00a0-\u00ac\u00ae-\u02ff\u0370-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u205e\u20a0-\u20bf\u2190-\u23ff\u2500-\u27bf\u2b00-\u2bff\u3000-\u3029\u3030-\u3096\u309b-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60\n\t]/

let segmenter: Intl.Segmenter | undefined

/** Splits by `Intl.Segmenter`, created on first use because that costs 9-16 ms. */
function segments(text: string): Iterable<Intl.SegmentData> {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  return segmenter.segment(text)
}

/** Returns true if every code unit is a grapheme. */
export function isUnjoined(text: string): boolean {
  return !joining.test(text)
}

/** Yields the graphemes of the text in order; their concatenation is `text`. */
export function* graphemes(text: string): Generator<string> {
  if (isUnjoined(text)) {
    yield* text
    return
  }
  for (const { segment } of segments(text)) yield segment
}

/** Returns the first grapheme boundary at or after `offset` (UTF-16 units). */
export function boundaryFrom(text: string, offset: number): number {
  if (offset <= 0) return 0
  if (offset >= text.length) return text.length
  if (isUnjoined(text.slice(offset - 1, offset + 1))) return offset
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1
  let boundary = lineStart
  for (const grapheme of graphemes(lineFrom(text, lineStart))) {
    if (boundary >= offset) break
    boundary += grapheme.length
  }
  return boundary
}

export function boundaryAfter(text: string, offset: number): number {
  if (offset >= text.length) return text.length
  if (isUnjoined(text.slice(offset, offset + 2))) return offset + 1
  for (const grapheme of graphemes(lineFrom(text, offset))) return offset + grapheme.length
  return offset + 1
}

export function boundaryBefore(text: string, offset: number): number {
  if (offset <= 1) return 0
  if (isUnjoined(text.slice(offset - 2, offset))) return offset - 1
  const lineStart = text.lastIndexOf('\n', offset - 2) + 1
  let last = lineStart
  let boundary = lineStart
  for (const grapheme of graphemes(text.slice(lineStart, offset))) {
    last = boundary
    boundary += grapheme.length
  }
  return last
}

/** Returns the rest of the line with its end, all the context that segmentation needs. */
function lineFrom(text: string, offset: number): string {
  const end = text.indexOf('\n', offset)
  return text.slice(offset, end === -1 ? text.length : end + 1)
}
