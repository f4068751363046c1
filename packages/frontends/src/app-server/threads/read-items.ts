import type { CompletedItem, PastTurn } from '@parley/protocol'
import type { TurnSource, TurnsPage } from './read-turns.ts'

/** Page of the items of a thread, or of one turn. */
export interface ItemsPage extends TurnsPage {
  readonly turn: Pick<PastTurn, 'startSeq' | 'endSeq'> | null
}

interface FoundItems {
  readonly items: readonly CompletedItem[]
  /** Cursor of the next page; null on the last one. */
  readonly next: number | null
}

/** Items between two seqs, neither of them among them; null for the end of the log. */
interface SeqRange {
  readonly after: number
  readonly before: number | null
}

const mostItems = 1000

/** Reads a page of completed items in its direction, with the cursor of the next one. */
export async function readItems(
  source: TurnSource,
  { cursor, limit, direction, turn }: ItemsPage,
): Promise<FoundItems> {
  const whole: SeqRange = { after: turn?.startSeq ?? 0, before: turn?.endSeq ?? null }
  if (direction === 'asc') return readOnwards(source, { ...whole, after: Math.max(cursor ?? 0, whole.after) }, limit)
  const before = cursor === null || whole.before === null ? (cursor ?? whole.before) : Math.min(cursor, whole.before)
  const { items, more } = await read(source, { ...whole, before }, limit)
  return { items: items.toReversed(), next: more ? (items[0]?.seq ?? null) : null }
}

/**
 * Reads the oldest items of a range. A server returns the newest items of a stretch, so the stretch grows until it has
 * enough of them, and shrinks where they do not fit in an answer.
 */
async function readOnwards(source: TurnSource, range: SeqRange, limit: number): Promise<FoundItems> {
  const [newest] = (await read(source, range, 1)).items
  if (newest === undefined) return { items: [], next: null }
  const end = newest.seq + 1
  let length = limit * eventsPerItem
  let known = { empty: 0, tooLong: Number.POSITIVE_INFINITY }
  for (;;) {
    const before = Math.min(range.after + length, end)
    const { items, more } = await read(source, { after: range.after, before }, mostItems)
    const isFull = items.length >= limit || before === end || (known.tooLong < end && items.length > 0)
    if (!more && isFull) {
      const taken = items.slice(0, limit)
      const last = taken.at(-1)?.seq ?? newest.seq
      return { items: taken, next: last === newest.seq ? null : last }
    }
    known = more ? { ...known, tooLong: length } : { ...known, empty: length }
    length = known.tooLong < end ? Math.ceil((known.empty + known.tooLong) / 2) : length * 4
  }
}

/** Events that an item has in the log, as a first guess. */
const eventsPerItem = 8

function read({ parley, conversationId }: TurnSource, { after, before }: SeqRange, limit: number) {
  const range = { conversationId, after, limit, ...(before === null ? {} : { before }) }
  return parley.request('conversation/read', range)
}
