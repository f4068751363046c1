import type { Position } from './live-zone.ts'
import { type Line, lineText } from './text/span.ts'
import { cellWidth } from './text/width.ts'

/** Terminal after a resize. `cursor`: zero-based place on the screen, as the terminal reported it; absent without a report. */
export interface Geometry {
  readonly columns: number
  readonly rows: number
  readonly cursor?: Position
}

/** Rows that a painter has on the terminal. */
export interface PaintedRows {
  readonly rows: readonly Line[]
  /** Place of the terminal's cursor within the rows. */
  readonly cursor: Position
  /** Widths of earlier rows above them that a lower window moved into the scrollback. */
  readonly stale: readonly number[]
}

interface Erasure {
  /** Erases the rows and leaves the cursor at the start of the uppermost. */
  readonly sequence: string
  /** Widths of rows that are in the scrollback now, where nothing erases them until a higher window brings them back. */
  readonly stale: readonly number[]
  /** True if the cursor ends in the first row of the screen. */
  readonly isAtTop: boolean
}

/**
 * Erases everything from the cursor's row on. Starts one cell to the right, because tmux copies the screen to its history
 * when it is erased from the first cell on.
 */
export const eraseBelow = '\r\x1b[2K\x1b[1C\x1b[J\r'

/**
 * Erases the rows after a resize. Every move goes upwards from the cursor, which terminals keep on its cell: rows below
 * it may be gone, so that a way down and up again would end in the transcript.
 */
export function eraseZone({ rows, cursor, stale }: PaintedRows, at: Geometry, isReflowed: boolean): Erasure {
  const columns = isReflowed ? Math.max(1, at.columns) : Number.POSITIVE_INFINITY
  const widths = [...stale, ...rows.slice(0, cursor.row).map((row) => cellWidth(lineText(row)))]
  const heights = widths.map((width) => Math.max(1, Math.ceil(width / columns)))
  const above = sum(heights) + wrapsBefore(cursor.column, columns, at)
  const visible = Math.min(above, at.cursor?.row ?? above)
  return {
    sequence: eraseBelow + '\x1b[1A\x1b[2K'.repeat(visible),
    stale: at.cursor === undefined ? [] : firstRows(widths, columns, above - visible),
    isAtTop: at.cursor?.row === visible,
  }
}

/**
 * Returns the rows that the terminal put before the cursor when it wrapped the cursor's row. Some terminals do not wrap
 * that row, and the column they report tells.
 */
function wrapsBefore(column: number, columns: number, { cursor }: Geometry): number {
  const most = Math.floor(column / columns)
  if (cursor === undefined) return most
  for (let wraps = 0; wraps < most; wraps++) {
    if (Math.min(column - wraps * columns, columns - 1) === cursor.column) return wraps
  }
  return most
}

/** Returns the widths of what the first `count` rows of the screen hold. */
function firstRows(widths: readonly number[], columns: number, count: number): readonly number[] {
  let left = count
  const kept: number[] = []
  for (const width of widths) {
    if (left <= 0) break
    const height = Math.max(1, Math.ceil(width / columns))
    kept.push(height <= left ? width : left * columns)
    left -= height
  }
  return kept
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
