/** Size of a window that tells none, as terminals have had since the first ones. */
const usualSize = { columns: 80, rows: 24 }

interface Sized {
  readonly columns?: number
  readonly rows?: number
}

/** Returns the size of the window in cells; a pty that nobody has given a size says 0, and counts as 80x24. */
export function windowSize({ columns, rows }: Sized): { readonly columns: number; readonly rows: number } {
  return { columns: columns || usualSize.columns, rows: rows || usualSize.rows }
}
