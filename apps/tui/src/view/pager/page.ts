import type { Line, Room } from '@parley/presentation/text/span'
import { ownerOf, type PagerEntry } from './entry.ts'
import { entryRows } from './entry-rows.ts'

/** Row of an entry. A number beyond its last row counts as the last. */
export interface PagePosition {
  readonly id: string
  readonly row: number
}

/** Row on the screen, with the entry that it belongs to. */
export interface PageRow {
  readonly line: Line
  /** Index of the entry. */
  readonly index: number
  /** Number of the row within the entry. */
  readonly row: number
}

export interface PagerPage {
  readonly rows: readonly PageRow[]
  readonly isAtStart: boolean
  readonly isAtEnd: boolean
}

/** Entries with the room that their rows have, and the height of the screen in rows. */
export interface PageRoom extends Room {
  readonly entries: readonly PagerEntry[]
  readonly height: number
}

interface Position {
  readonly index: number
  readonly row: number
}

/** Returns the rows on the screen from `top` on; the last ones where `top` is null or too few rows follow it. */
export function pageAt(room: PageRoom, top: PagePosition | null): PagerPage {
  const start = top === null ? null : positionOf(room, top)
  const from = start === null ? [] : rowsFrom(room, start, room.height)
  const rows = from.length < room.height ? rowsUpTo(room, { index: room.entries.length, row: 0 }, room.height) : from
  return {
    rows,
    isAtStart: rowsUpTo(room, startOf(rows), 1).length === 0,
    isAtEnd: rowsFrom(room, endOf(room, rows), 1).length === 0,
  }
}

/**
 * Returns the place that many rows below or above the first row of the page, at most the first or last one. Stops at a
 * gap that can still be read: above at its row, below before it.
 */
export function movedTop(room: PageRoom, page: PagerPage, rowCount: number): PagePosition | null {
  const [first] = page.rows
  if (first === undefined) return null
  const start = { index: first.index, row: first.row }
  if (rowCount < 0) {
    if (isUnread(room, first)) return placeOf(room, first)
    const above = rowsUpTo(room, start, -rowCount)
    const gap = above.findLastIndex((row) => isUnread(room, row))
    return placeOf(room, above[Math.max(0, gap)] ?? first)
  }
  const below = rowsFrom(room, start, rowCount + 1)
  const gap = below.findIndex((row, index) => index > 0 && isUnread(room, row))
  return placeOf(room, (gap === -1 ? below : below.slice(0, gap)).at(-1) ?? first)
}

function isUnread({ entries }: PageRoom, { index }: PageRow): boolean {
  const entry = entries[index]
  return entry?.kind === 'gap' && entry.problem === null
}

export function placeOf({ entries }: PageRoom, { index, row }: Position): PagePosition | null {
  const entry = entries[index]
  return entry === undefined ? null : { id: entry.id, row }
}

export function rowsAt(room: PageRoom, index: number): readonly Line[] {
  const entry = room.entries[index]
  return entry === undefined ? [] : entryRows(entry, room.entries[index - 1], room)
}

/** Returns the item that the row belongs to; null for a gap. */
export function ownerAt({ entries }: PageRoom, { index }: Pick<PageRow, 'index'>): string | null {
  const entry = entries[index]
  return entry === undefined ? null : ownerOf(entry)
}

function positionOf(room: PageRoom, { id, row }: PagePosition): Position | null {
  const index = room.entries.findIndex((entry) => entry.id === id)
  return index === -1 ? null : { index, row: Math.max(0, Math.min(row, rowsAt(room, index).length - 1)) }
}

function startOf([first]: readonly PageRow[]): Position {
  return first ?? { index: 0, row: 0 }
}

function endOf({ entries }: PageRoom, rows: readonly PageRow[]): Position {
  const last = rows.at(-1)
  return last === undefined ? { index: entries.length, row: 0 } : { index: last.index, row: last.row + 1 }
}

/** Returns up to `count` rows from the position on. */
function rowsFrom(room: PageRoom, { index: first, row: firstRow }: Position, count: number): readonly PageRow[] {
  const found: PageRow[] = []
  for (let index = first; index < room.entries.length && found.length < count; index++) {
    const lines = rowsAt(room, index)
    for (let row = index === first ? firstRow : 0; row < lines.length && found.length < count; row++)
      found.push({ line: lines[row] ?? [], index, row })
  }
  return found
}

/** Returns up to `count` rows that end right before the position, from top to bottom. */
function rowsUpTo(room: PageRoom, { index: last, row: lastRow }: Position, count: number): readonly PageRow[] {
  const found: PageRow[] = []
  for (let index = Math.min(last, room.entries.length - 1); index >= 0 && found.length < count; index--) {
    const lines = rowsAt(room, index)
    const from = index === last ? Math.min(lastRow, lines.length) - 1 : lines.length - 1
    for (let row = from; row >= 0 && found.length < count; row--) found.push({ line: lines[row] ?? [], index, row })
  }
  return found.reverse()
}
