import type { Position } from './live-zone.ts'

/** Terminal at one moment. `cursor`: zero-based place on the screen, as the terminal reported it; absent without a report. */
export interface Geometry {
  readonly columns: number
  readonly rows: number
  readonly cursor?: Position
}

/**
 * Treatment of rows that are longer than a new width: cut off, wrapped with the cursor on its cell, or (`shift`,
 * xterm.js) wrapped with the cursor moved down by the added rows below.
 */
export type Reflow = 'cut' | 'wrap' | 'shift'

/** Rows that are on the terminal, and the cell of its cursor among them. */
export interface PaintedRows {
  /** Widths in cells, from top to bottom. Begins with rows that a lower window moved into the scrollback. */
  readonly widths: readonly number[]
  /** Cell of the cursor. A negative row lies above the uppermost. */
  readonly cursor: Position
}

export const noRows: PaintedRows = { widths: [], cursor: { row: 0, column: 0 } }

/** Returns the rows that lie above the cursor at every width of the terminal. */
export function rowsSurelyAbove({ cursor }: PaintedRows): number {
  return Math.max(0, cursor.row)
}

/** Returns the rows between the cursor and the uppermost row on a terminal of this width; negative above it. */
export function rowsAbove({ widths, cursor }: PaintedRows, at: Geometry, reflow: Reflow): number {
  if (cursor.row < 0) return cursor.row
  const height = heightAt(at.columns, reflow)
  return sum(widths.slice(0, cursor.row).map(height)) + wrapsBefore(cursor.column, at, reflow)
}

/** Returns the cell at the start of the row that is `distance` rows below the uppermost on a terminal of this width. */
export function cellBelowTop(
  widths: PaintedRows['widths'],
  distance: number,
  columns: number,
  reflow: Reflow,
): Position {
  if (distance < 0) return { row: distance, column: 0 }
  const height = heightAt(columns, reflow)
  let left = distance
  for (const [row, width] of widths.entries()) {
    if (left < height(width)) return { row, column: left * columns }
    left -= height(width)
  }
  return { row: widths.length + left, column: 0 }
}

/** Returns the widths of the contents of the first `count` rows on a terminal of this width. */
export function firstRows(
  widths: readonly number[],
  count: number,
  columns: number,
  reflow: Reflow,
): readonly number[] {
  const height = heightAt(columns, reflow)
  let left = count
  const kept: number[] = []
  for (const width of widths) {
    if (left <= 0) break
    kept.push(height(width) <= left ? width : left * columns)
    left -= height(width)
  }
  return kept
}

function heightAt(columns: number, reflow: Reflow): (width: number) => number {
  return (width) => (reflow === 'cut' ? 1 : Math.max(1, Math.ceil(width / Math.max(1, columns))))
}

/**
 * Returns the rows that the terminal put before the cursor when it wrapped the cursor's row. Some terminals do not wrap
 * that row, and the column they report tells.
 */
function wrapsBefore(column: number, { columns, cursor }: Geometry, reflow: Reflow): number {
  const most = reflow === 'cut' ? 0 : Math.floor(column / Math.max(1, columns))
  if (cursor === undefined) return most
  for (let wraps = 0; wraps < most; wraps++) {
    if (Math.min(column - wraps * columns, columns - 1) === cursor.column) return wraps
  }
  return most
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
