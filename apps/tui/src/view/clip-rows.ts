import type { Line } from './span.ts'

export interface Clip {
  readonly head: number
  readonly tail: number
  /** Said behind the count, e.g. how to see the rest. */
  readonly hint?: string
}

/** The rows if they fit, else their beginning and end with the count of what is between. */
export function clipRows(rows: readonly Line[], { head, tail, hint = '' }: Clip): readonly Line[] {
  const hidden = rows.length - head - tail
  // One row of count for one row of text would gain nothing.
  if (hidden <= 1) return rows
  return [
    ...rows.slice(0, head),
    [{ text: `… ${count(hidden)} more lines${hint}`, tone: 'muted' }],
    ...lastRows(rows, tail),
  ]
}

export function lastRows(rows: readonly Line[], limit: number): readonly Line[] {
  return limit <= 0 ? [] : rows.slice(-limit)
}

/** A number as people read it: `1,834`. */
export function count(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',')
}
