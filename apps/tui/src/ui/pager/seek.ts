import { type ChunkEntry, ownerOf, type PagerEntry } from '../../view/pager/entry.ts'
import { shownRow } from '../../view/pager/entry-rows.ts'
import { matchingRows } from '../../view/pager/find-text.ts'
import { type PagePosition, type PageRoom, rowsAt } from '../../view/pager/page.ts'
import { type ChunkRun, searchedChunks } from './file-chunks.ts'
import { goTo } from './move-pager.ts'
import { type Direction, itemAtCursor, type Pager, type PagerSize, type Quest, roomOf, withOpened } from './pager.ts'
import { type PagerStep, pagerStep, readChunk, readGap } from './read-more.ts'

/** Searches for the text from the cursor on: downwards, and upwards if nothing is found there. */
export function beginSearch(pager: Pager, query: string, size: PagerSize): PagerStep {
  const quest = { kind: 'match', direction: 'down', turns: true } as const
  return begin({ ...pager, query, direction: 'down' }, quest, size)
}

/** Searches on for the same text; `turned` goes against the direction of the last search. */
export function searchAgain(pager: Pager, turned: boolean, size: PagerSize): PagerStep {
  if (pager.query === '') return pagerStep({ ...pager, note: 'Nothing was searched for yet: / searches.' })
  const direction = turned ? opposite(pager.direction) : pager.direction
  return begin(pager, { kind: 'match', direction, turns: false }, size)
}

/** Goes to the next or previous message of the user. */
export function seekTurn(pager: Pager, direction: Direction, size: PagerSize): PagerStep {
  return begin(pager, { kind: 'turn', direction, turns: false }, size)
}

function begin(pager: Pager, quest: Pick<Quest, 'kind' | 'direction' | 'turns'>, size: PagerSize): PagerStep {
  const from = startOf(pager, roomOf(pager, size), quest)
  return from === null ? pagerStep(pager) : seek({ ...pager, quest: { ...quest, origin: from, from, seen: 0 } }, size)
}

/** Returns the place to search from: the match found last if it is at the cursor, else the item there. */
function startOf(pager: Pager, room: PageRoom, { kind }: Pick<Quest, 'kind'>): PagePosition | null {
  const { found } = pager
  const id = itemAtCursor(room, pager)?.id
  if (id === undefined) return null
  const match = room.entries.find((entry) => entry.id === found?.id)
  if (kind === 'match' && found !== null && match !== undefined && ownerOf(match) === id) return found
  return { id, row: -1 }
}

/** Continues a search through the items in memory, and reads more at their end. */
export function seek(pager: Pager, size: PagerSize): PagerStep {
  const { quest } = pager
  if (quest === null) return pagerStep(pager)
  const room = roomOf(pager, size)
  const step = quest.direction === 'up' ? -1 : 1
  let at = quest
  const first = room.entries.findIndex(({ id }) => id === quest.from.id)
  for (let index = first; index >= 0 && index < room.entries.length; index += step) {
    const entry = room.entries[index]
    if (entry === undefined) break
    const missing = missingAt({ ...pager, quest: at }, entry)
    if (missing !== null) return missing
    const row = rowIn(pager, room, index, entry)
    if (row !== null) return pagerStep(arrived(pager, size, { id: entry.id, row }))
    at = {
      ...at,
      from: { id: entry.id, row: quest.direction === 'up' ? -1 : Number.POSITIVE_INFINITY },
      seen: at.seen + 1,
    }
  }
  return notFound(pager, quest, size)
}

/** Reads an entry that is not in memory, after which the search goes on; null if it is there. */
function missingAt(pager: Pager, entry: PagerEntry): PagerStep | null {
  const { quest } = pager
  if (quest === null || entry.kind === 'item' || (entry.kind === 'chunk' && quest.kind === 'turn')) return null
  if (entry.problem !== null) return pagerStep({ ...pager, quest: null, note: `The search ended: ${entry.problem}` })
  if (entry.kind === 'gap') return readGap(pager, entry, quest.direction === 'up' ? 'lower' : 'upper', true)
  return entry.chunk === null ? readChunk(pager, entry, runFrom(entry, quest.direction)) : null
}

function runFrom({ index }: ChunkEntry, direction: Direction): ChunkRun {
  const first = direction === 'down' ? index : Math.max(0, index - searchedChunks + 1)
  return { first, count: direction === 'down' ? searchedChunks : index - first + 1 }
}

/** Returns the row of an entry to go to, beyond the place of the search; null without a match. */
function rowIn({ quest, query }: Pager, room: PageRoom, index: number, entry: PagerEntry): number | null {
  if (quest === null) return null
  const isStart = entry.id === quest.from.id
  if (quest.kind === 'turn') {
    const isTurn = entry.kind === 'item' && entry.item.type === 'userMessage' && rowsAt(room, index).length > 0
    return isTurn && !isStart ? 0 : null
  }
  const rows = matchingRows(entry, query, room)
  if (!isStart) return (quest.direction === 'up' ? rows.at(-1) : rows[0]) ?? null
  const { row } = quest.from
  return (quest.direction === 'up' ? rows.findLast((match) => match < row) : rows.find((match) => match > row)) ?? null
}

function arrived(pager: Pager, size: PagerSize, found: PagePosition): Pager {
  const { quest } = pager
  const done: Pager = { ...pager, quest: null }
  if (quest?.kind === 'turn') return goTo(done, roomOf(done, size), found, 0)
  const room = roomOf(done, size)
  const entry = room.entries.find(({ id }) => id === found.id)
  const foldedRow = entry?.kind === 'item' ? shownRow(entry, found.row, room) : found.row
  const opened = foldedRow === null ? { ...done, folds: withOpened(done.folds, found.id) } : done
  return { ...goToRow(opened, roomOf(opened, size), { id: found.id, row: foldedRow ?? found.row }), found }
}

/** Goes to a row counted without the blank row that may stand before an item. */
function goToRow(pager: Pager, room: PageRoom, { id, row }: PagePosition): Pager {
  const index = room.entries.findIndex((entry) => entry.id === id)
  const blank = rowsAt(room, index)[0]?.length === 0 && room.entries[index]?.kind === 'item' ? 1 : 0
  return goTo(pager, room, { id, row: row + blank }, Math.min(3, Math.floor(room.height / 4)))
}

function notFound(pager: Pager, quest: Quest, size: PagerSize): PagerStep {
  if (quest.turns) {
    const turned: Quest = { ...quest, direction: opposite(quest.direction), from: quest.origin, turns: false }
    return seek({ ...pager, quest: turned, direction: turned.direction }, size)
  }
  return pagerStep({ ...pager, quest: null, note: notFoundWords(pager, quest) })
}

function notFoundWords({ query }: Pager, { kind, direction }: Quest): string {
  if (kind === 'turn') return direction === 'up' ? 'No earlier message of yours.' : 'No later message of yours.'
  return direction === 'up' ? `Nothing found above: ${query}` : `Nothing found below: ${query}`
}

function opposite(direction: Direction): Direction {
  return direction === 'up' ? 'down' : 'up'
}
