import { eraseZone, type Geometry, type PaintedRows } from '../view/erase-zone.ts'
import { caretPosition, liveRows, type Position } from '../view/live-zone.ts'
import { paintLine, type Screen } from '../view/screen.ts'
import type { Line } from '../view/text/span.ts'
import type { Theme } from '../view/text/theme.ts'

/** Puts screens on the terminal. */
export interface Painter {
  paint(screen: Screen): void
  /**
   * Erases the live zone, because the terminal has another size, until the next `paint`. `isReflowed`: the terminal has
   * wrapped its rows again. Erases nothing twice.
   */
  resized(at: Geometry, isReflowed: boolean): void
  /**
   * Erases the live zone; the transcript stays. `isResumed`: another painter goes on in the same row, so that no blank row
   * stays behind.
   */
  close(isResumed?: boolean): void
}

/** Returns the rows as text for the terminal, joined by line ends; null if there are none. */
export function paintRows(rows: readonly Line[], theme: Theme): string | null {
  return rows.length === 0 ? null : rows.map((row) => paintLine(row, theme)).join('\n')
}

/** Returns the rows of blocks to append to the transcript; null if there are none. */
export function settledText({ settled, theme }: Screen): string | null {
  const rows = settled.flatMap(({ lines }) => lines)
  return paintRows(rows, theme)
}

/**
 * Returns where the cursor rests: at the caret, else in the first row. A lower window cuts the rows below the cursor and
 * then moves none of the live zone into the scrollback.
 */
export function restingPlace({ live, caret }: Pick<Screen, 'live' | 'caret'>): Position {
  return caretPosition(live, caret) ?? { row: 0, column: 0 }
}

/**
 * Creates the painter of the first frames, while Ink is loaded, so that the composer shows what is typed at once. Begins
 * with a blank row, because tmux copies to its history what is erased from the very first row on.
 */
export function createEarlyPainter(write: (text: string) => void): Painter {
  let hasBegun = false
  let painted: PaintedRows | null = null
  let stale: readonly number[] = []

  const erase = () => `\r${up(painted?.cursor.row ?? 0)}\x1b[J`

  function draw({ live, caret, theme }: Screen): string {
    const rows = liveRows(live)
    const lastRow = rows.length - 1
    const cursor = restingPlace({ live, caret })
    painted = { rows, cursor, stale }
    const right = cursor.column > 0 ? `\x1b[${cursor.column}C` : ''
    return `${paintRows(rows, theme) ?? ''}${up(lastRow - cursor.row)}\r${right}`
  }

  return {
    paint(screen) {
      const before = hasBegun ? erase() : '\r\n'
      hasBegun = true
      const settled = settledText(screen)
      if (settled !== null) stale = []
      const above = settled === null ? '' : `${settled}\n`
      write(before + `${above}${draw(screen)}`.replaceAll('\n', '\r\n'))
    },
    resized(at, isReflowed) {
      if (painted === null) return
      const erasure = eraseZone(painted, at, isReflowed)
      stale = erasure.stale
      painted = null
      // A blank row keeps the next frame from beginning in the first row.
      write(erasure.sequence + (erasure.isAtTop ? '\r\n' : ''))
    },
    close() {
      write(erase())
      painted = null
    },
  }
}

function up(rows: number): string {
  return rows > 0 ? `\x1b[${rows}A` : ''
}
