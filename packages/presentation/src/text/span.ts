import type { AmbiguousWidth } from './width.ts'

/** Role of a piece of text; the theme has its colour. */
export type Tone =
  | 'accent'
  | 'good'
  | 'bad'
  | 'warn'
  | 'muted'
  | 'brand'
  | 'heading'
  | `code-${'comment' | 'string' | 'keyword' | 'number'}`

/** Role of what lies behind a text: an own message, and the changed lines and words of a diff. */
export type Ground = 'band' | 'added' | 'removed' | 'addedWord' | 'removedWord'

export interface Style {
  readonly bold?: true
  readonly dim?: true
  readonly italic?: true
  readonly underline?: true
  readonly strike?: true
  readonly inverse?: true
  readonly code?: true
  readonly tone?: Tone
  readonly ground?: Ground
  /** Target of an OSC 8 link, without controls; http, https, file or mailto. */
  readonly href?: string
}

/** Styled text without line ends or control characters. */
export interface Span extends Style {
  readonly text: string
}

/** Line of content before wrapping, or of the screen after wrapping. */
export type Line = readonly Span[]

/** Returns lines of code in the colours of their language, with the same text; null for a language that is not known. */
export type Highlight = (lines: readonly string[], language: string) => readonly Line[] | null

/** Part of a text as UTF-16 offsets. */
export interface OffsetRange {
  readonly start: number
  readonly end: number
}

/** Width available, in cells, and how code is coloured in it. */
export interface Room {
  readonly columns: number
  readonly ambiguous?: AmbiguousWidth
  readonly highlight?: Highlight
}

export function lineText(line: Line): string {
  return line.map((span) => span.text).join('')
}

/** Returns the part of the line between two offsets of its text. */
export function sliceLine(line: Line, start: number, end: number): Line {
  const slice: Span[] = []
  let offset = 0
  for (const span of line) {
    const text = span.text.slice(Math.max(0, start - offset), Math.max(0, end - offset))
    if (text !== '') slice.push(text === span.text ? span : { ...span, text })
    offset += span.text.length
    if (offset >= end) break
  }
  return slice
}

/** Returns the room beside `columns` used cells, at least one cell. */
export function narrowed(room: Room, columns: number): Room {
  return { ...room, columns: Math.max(1, room.columns - columns) }
}
