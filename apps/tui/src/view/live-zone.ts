import type { Line } from '@parley/presentation/text/span'
import { lastRows } from './text/fit-rows.ts'

/**
 * Parts of the live zone, from top to bottom: running items, the question to the user, the activity of the turn,
 * waiting messages, then the text with its completions or a list in its place, and the status line.
 */
export const liveParts = [
  'running',
  'approval',
  'activity',
  'queue',
  'menu',
  'composer',
  'completions',
  'status',
] as const

export type LivePart = (typeof liveParts)[number]

/** Rows of each part, blank rows above it included; all parts together have at most `rows - 2` rows. */
export type LiveZone = Readonly<Record<LivePart, readonly Line[]>>

export function mapParts<Value>(of: (part: LivePart) => Value): Readonly<Record<LivePart, Value>> {
  return {
    running: of('running'),
    approval: of('approval'),
    activity: of('activity'),
    queue: of('queue'),
    menu: of('menu'),
    composer: of('composer'),
    completions: of('completions'),
    status: of('status'),
  }
}

export const emptyZone: LiveZone = mapParts(() => [])

/** Caret position within the rows of its part. */
export interface Caret {
  readonly part: 'approval' | 'menu' | 'composer'
  readonly row: number
  readonly column: number
}

/** Returns the rows of all parts, from top to bottom. */
export function liveRows(live: LiveZone): readonly Line[] {
  return liveParts.flatMap((part) => live[part])
}

/** Returns the lowest `limit` rows of the zone, each still in its part. */
export function lowestRows(live: LiveZone, limit: number): LiveZone {
  let left = Math.max(0, limit)
  let kept = emptyZone
  for (const part of liveParts.toReversed()) {
    const rows = lastRows(live[part], left)
    left -= rows.length
    kept = { ...kept, [part]: rows }
  }
  return kept
}

/** Position within the whole live zone. */
export interface Position {
  readonly row: number
  readonly column: number
}

/** Returns the caret's position within the whole live zone; null without a caret. */
export function caretPosition(live: LiveZone, caret: Caret | null): Position | null {
  if (caret === null) return null
  const above = liveParts.slice(0, liveParts.indexOf(caret.part)).flatMap((part) => live[part])
  return { row: above.length + caret.row, column: caret.column }
}
