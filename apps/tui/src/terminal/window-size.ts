/** Size of a window without a known size, as on the first terminals. */
const usualSize = { columns: 80, rows: 24 }

/** Returns the size of the window in cells. A pty without a size reports 0 and counts as 80x24. */
export function windowSize({ columns, rows }: { readonly columns?: number; readonly rows?: number }): {
  readonly columns: number
  readonly rows: number
} {
  return { columns: columns || usualSize.columns, rows: rows || usualSize.rows }
}
