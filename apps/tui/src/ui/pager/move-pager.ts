import {
  movedTop,
  ownerAt,
  type Page,
  type PageRoom,
  type Place,
  pageAt,
  placeOf,
  rowsAt,
} from '../../view/pager/page.ts'
import { type Direction, type Pager, pageOn } from './pager.ts'

/** Returns the next or previous item: selected if its first row is on the screen, else the page moves by one row. */
export function stepItem(pager: Pager, room: PageRoom, direction: Direction): Pager {
  const page = pageOn(room, pager)
  const next = neighbour(pager, room, direction)
  if (next !== null && isHeadOn(page, room, next)) return { ...pager, ...placed(room, page, next) }
  const moved = pageAt(room, movedTop(room, page, direction === 'up' ? -1 : 1))
  if (next !== null && isHeadOn(moved, room, next)) return { ...pager, ...placed(room, moved, next) }
  return { ...pager, ...placed(room, moved, visibleCursor(pager, room, moved, direction)) }
}

/** Returns the page below or above, with the cursor on its first item. */
export function stepPage(pager: Pager, room: PageRoom, direction: Direction): Pager {
  const page = pageOn(room, pager)
  const rows = Math.max(1, room.height - 1)
  const moved = pageAt(room, movedTop(room, page, direction === 'up' ? -rows : rows))
  const heads = moved.rows.filter(({ row }) => row === 0).map((head) => ownerAt(room, head))
  const [top] = moved.rows
  const first = heads.find((id) => id !== null) ?? (top === undefined ? null : ownerAt(room, top))
  const last = moved.isAtEnd && direction === 'down' ? lastItem(room) : null
  return { ...pager, ...placed(room, moved, last ?? first) }
}

/** Returns the view at the beginning of what is in memory. */
export function goToStart(pager: Pager, room: PageRoom): Pager {
  const top = placeOf(room, { index: 0, row: 0 })
  const page = pageAt(room, top)
  // A gap is the cursor until what it stands for has been read.
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
export function goTo(pager: Pager, room: PageRoom, place: Place, context: number): Pager {
  const index = room.entries.findIndex(({ id }) => id === place.id)
  if (index === -1) return pager
  const cursor = ownerAt(room, { index })
  const page = pageOn(room, pager)
  const isOn = page.rows.some((row) => row.index === index && row.row === place.row)
  if (isOn && context > 0) return { ...pager, ...placed(room, page, cursor) }
  const aimed = pageAt(room, place)
  return { ...pager, ...placed(room, aimed.isAtEnd ? aimed : pageAt(room, movedTop(room, aimed, -context)), cursor) }
}

type Placed = Pick<Pager, 'top' | 'cursor'>

/** Returns where the view is on a page; at its end with the last item it follows what comes. */
function placed(room: PageRoom, page: Page, cursor: string | null): Placed {
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

function isHeadOn({ rows }: Page, room: PageRoom, id: string): boolean {
  return rows.some(({ index, row }) => row === 0 && room.entries[index]?.id === id)
}

/** Returns the item at the cursor if some of it is on the page, else the one where the page was entered. */
function visibleCursor({ cursor }: Pager, room: PageRoom, { rows }: Page, direction: Direction): string | null {
  const current = cursor ?? lastItem(room)
  const owners = rows.map((row) => ownerAt(room, row)).filter((id) => id !== null)
  if (current !== null && owners.includes(current)) return current
  return (direction === 'up' ? owners.at(-1) : owners[0]) ?? current
}

function lastItem(room: PageRoom): string | null {
  const index = room.entries.findLastIndex((entry, at) => entry.kind === 'item' && rowsAt(room, at).length > 0)
  return room.entries[index]?.id ?? null
}
