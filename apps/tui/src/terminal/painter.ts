import { stripVTControlCharacters } from 'node:util'
import { graphemes } from '@parley/presentation/text/graphemes'
import { type Line, lineText } from '@parley/presentation/text/span'
import { type AmbiguousWidth, cellWidth } from '@parley/presentation/text/width'
import { caretPosition, liveRows, type Position } from '../view/live-zone.ts'
import { paintLine, type Screen } from '../view/screen.ts'
import type { Theme } from '../view/text/theme.ts'
import type { PaintedFrame, ZoneWriter } from './zone-writer.ts'

/** Puts screens on the terminal. */
export interface Painter {
  /** Writes a frame that was laid out for this width. */
  paint(screen: Screen, columns: number): void
  /** Stops the painter. Its last frame stays on the terminal. */
  close(): void
}

export function paintRows(rows: readonly Line[], theme: Theme): readonly string[] {
  return rows.map((row) => paintLine(row, theme))
}

/** Returns the frame with these painted rows of its live zone. */
export function paintedFrame(screen: Screen, rows: readonly string[], columns: number): PaintedFrame {
  const { live, caret, settled, theme, ambiguous } = screen
  const cursor = restingPlace({ live, caret })
  return {
    settled: settled.flatMap(({ lines }) => paintRows(lines, theme)),
    rows,
    // Measured on the written text, because Ink removes blanks at the ends of rows.
    widths: rows.map((row) => Math.min(columns, cellWidth(stripVTControlCharacters(row), ambiguous))),
    cursor,
    hasCaret: caret !== null,
    caretText: characterAt(lineText(liveRows(live)[cursor.row] ?? []), cursor.column, ambiguous),
    columns,
  }
}

/** Returns the character in this cell of a row; a blank beyond its end. */
function characterAt(text: string, column: number, ambiguous: AmbiguousWidth): string {
  let at = 0
  for (const grapheme of graphemes(text)) {
    if (at >= column) return grapheme
    at += cellWidth(grapheme, ambiguous)
  }
  return ' '
}

/**
 * Returns the resting cell of the cursor: the caret, else the first row. A lower window cuts the rows below the cursor,
 * and so moves no row of the live zone into the scrollback.
 */
function restingPlace({ live, caret }: Pick<Screen, 'live' | 'caret'>): Position {
  return caretPosition(live, caret) ?? { row: 0, column: 0 }
}

/** Creates the painter of the first frames, until Ink is loaded, so that typed text is shown at once. */
export function createEarlyPainter(zone: ZoneWriter): Painter {
  return {
    paint(screen, columns) {
      zone.paint(paintedFrame(screen, paintRows(liveRows(screen.live), screen.theme), columns))
    },
    close: () => undefined,
  }
}
