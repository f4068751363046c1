import { boundaryAfter, boundaryBefore, boundaryFrom } from '../text/graphemes.ts'
import type { OffsetRange } from '../text/span.ts'

/** Folded paste, or image: a mark in the text represents it. */
export interface Paste {
  readonly mark: string
  readonly text: string
}

/** Text and pastes, which determine the stops of the caret. */
interface ComposerText {
  readonly text: string
  readonly pastes: readonly Paste[]
}

/** Returns the ranges of folded pastes in the text, in order. */
export function markRanges({ text, pastes }: ComposerText): readonly OffsetRange[] {
  const ranges: OffsetRange[] = []
  for (const { mark } of pastes) {
    let start = text.indexOf(mark)
    while (start !== -1) {
      ranges.push({ start, end: start + mark.length })
      start = text.indexOf(mark, start + mark.length)
    }
  }
  return ranges.sort((left, right) => left.start - right.start)
}

/** Returns the first stop at or after the offset. */
export function stopFrom(written: ComposerText, offset: number): number {
  const boundary = boundaryFrom(written.text, offset)
  const mark = markAround(written, boundary)
  return mark === undefined ? boundary : boundaryFrom(written.text, mark.end)
}

/** Returns the last stop at or before the offset. */
export function stopUpTo(written: ComposerText, offset: number): number {
  const floor = boundaryUpTo(written.text, offset)
  const mark = markAround(written, floor)
  // A character before the mark may form one grapheme with the mark's first character.
  return mark === undefined ? floor : boundaryUpTo(written.text, mark.start)
}

function boundaryUpTo(text: string, offset: number): number {
  const boundary = boundaryFrom(text, offset)
  return boundary > offset ? boundaryBefore(text, boundary) : boundary
}

export function stopAfter(written: ComposerText, offset: number): number {
  return stopFrom(written, boundaryAfter(written.text, offset))
}

export function stopBefore(written: ComposerText, offset: number): number {
  return stopUpTo(written, boundaryBefore(written.text, offset))
}

function markAround(written: ComposerText, offset: number): OffsetRange | undefined {
  if (written.pastes.length === 0) return undefined
  return markRanges(written).find((mark) => mark.start < offset && offset < mark.end)
}
