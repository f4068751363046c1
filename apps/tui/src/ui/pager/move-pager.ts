import {
  movedTop,
  ownerAt,
  type PagePosition,
  type PageRoom,
  type PagerPage,
  pageAt,
  placeOf,
  rowsAt,
} from '../../view/pager/page.ts'
import { type Direction, type Pager, pageOn } from './pager.ts'

/** Moves by a row as long as the item at the cursor goes on beyond the page in that direction, else to the next item. */
export function stepItem(before: Pager, room: PageRoom, direction: Direction): Pager {
  const pager = { ...before, isMovingUp: direction === 'up' }
  const page = pageOn(room, pager)
  const moved = pageAt(room, movedTop(room, page, direction === 'up' ? -1 : 1))
  const next = isEndOn(pager, room, page, direction) ? neighbour(pager, room, direction) : null
  if (next !== null && isOn(page, room, next)) return { ...pager, ...placed(room, page, next) }
  if (next !== null && isOn(moved, room, next)) return { ...pager, ...placed(room, moved, next) }
  return { ...pager, ...placed(room, moved, visibleCursor(pager, room, moved, direction)) }
}

/** Returns the page below or above, with the cursor on its first item. */
export function stepPage(before: Pager, room: PageRoom, direction: Direction): Pager {
  const pager = { ...before, isMovingUp: direction === 'up' }
  const page = pageOn(room, pager)
  const rows = Math.max(1, room.height - 1)
  const moved = pageAt(room, movedTop(room, page, direction === 'up' ? -rows : rows))
  const heads = moved.rows.filter(({ row }) => row === 0).map((head) => ownerAt(room, head))
  const [top] = moved.rows
  const first = heads.find((id) => id !== null) ?? (top === undefined ? null : ownerAt(room, top))
  const last = moved.isAtEnd && direction === 'down' ? lastItem(room) : null
  return { ...pager, ...placed(room, moved, last ?? first) }
}

/** Returns the view at the oldest item in memory. */
export function goToStart(pager: Pager, room: PageRoom): Pager {
  const top = placeOf(room, { index: 0, row: 0 })
  const page = pageAt(room, top)
  // A gap is the cursor until its items have been read.
  return {
    ...pager,
    top,
    cursor: room.entries[0]?.id ?? null,
    ...(page.isAtEnd ? placed(room, page, top?.id ?? null) : {}),
  }
}

/** Returns the view that follows the newest rows. */
export function goToEnd(pager: Pager): Pager {
  return { ...pager, top: null, cursor: null }
}

/** Returns the view with the cursor on an item, and its row `context` rows below the upper end unless it is on the screen. */
export function goTo(pager: Pager, room: PageRoom, place: PagePosition, context: number): Pager {
  const index = room.entries.findIndex(({ id }) => id === place.id)
  if (index === -1) return pager
  const cursor = ownerAt(room, { index })
  const page = pageOn(room, pager)
  const isShown = page.rows.some((row) => row.index === index && row.row === place.row)
  if (isShown && context > 0) return { ...pager, ...placed(room, page, cursor) }
  const aimed = pageAt(room, place)
  return { ...pager, ...placed(room, aimed.isAtEnd ? aimed : pageAt(room, movedTop(room, aimed, -context)), cursor) }
}

type PagerPosition = Pick<Pager, 'top' | 'cursor'>

/** Returns where the view is on a page; at its end with the last item it follows what comes. */
function placed(room: PageRoom, page: PagerPage, cursor: string | null): PagerPosition {
  const [first] = page.rows
  if (page.isAtEnd && (cursor === null || cursor === lastItem(room))) return { top: null, cursor: null }
  return { top: first === undefined ? null : placeOf(room, first), cursor }
}

/** Returns the view with its first row fixed, so that what opens below or comes anew does not move it. */
export function fixed(pager: Pager, room: PageRoom): Pager {
  const [first] = pageOn(room, pager).rows
  const top = first === undefined ? null : placeOf(room, first)
  return { ...pager, top, cursor: pager.cursor ?? lastItem(room) }
}

function neighbour({ cursor }: Pager, room: PageRoom, direction: Direction): string | null {
  const current = room.entries.findLastIndex(({ kind, id }) => kind === 'item' && (cursor === null || id === cursor))
  const step = direction === 'up' ? -1 : 1
  for (let index = current + step; index >= 0 && index < room.entries.length; index += step) {
    const entry = room.entries[index]
    if (entry?.kind === 'item' && rowsAt(room, index).length > 0) return entry.id
  }
  return null
}

function isOn({ rows }: PagerPage, room: PageRoom, id: string): boolean {
  return rows.some((row) => ownerAt(room, row) === id)
}

/** Returns true if the first or last row of the item at the cursor is on the page, or no row of it. */
function isEndOn({ cursor }: Pager, room: PageRoom, { rows }: PagerPage, direction: Direction): boolean {
  const id = cursor ?? lastItem(room)
  const own = rows.filter((row) => ownerAt(room, row) === id)
  const end = direction === 'up' ? own[0] : own.at(-1)
  if (end === undefined) return true
  if (direction === 'up') return end.row === 0 && room.entries[end.index]?.kind === 'item'
  const isLastRow = end.row === rowsAt(room, end.index).length - 1
  return isLastRow && ownerAt(room, { index: end.index + 1 }) !== id
}

/** Returns the item at the cursor if some of it is on the page, else the one where the page was entered. */
function visibleCursor({ cursor }: Pager, room: PageRoom, { rows }: PagerPage, direction: Direction): string | null {
  const current = cursor ?? lastItem(room)
  const owners = rows.map((row) => ownerAt(room, row)).filter((id) => id !== null)
  if (current !== null && owners.includes(current)) return current
  return (direction === 'up' ? owners.at(-1) : owners[0]) ?? current
}

function lastItem(room: PageRoom): string | null {
  const index = room.entries.findLastIndex((entry, at) => entry.kind === 'item' && rowsAt(room, at).length > 0)
  return room.entries[index]?.id ?? null
}
