import type { Parley } from '@parley/client'
import type { CompletedItem, ConversationId, PastTurn } from '@parley/protocol'
import { type ThreadItem, threadItemOf } from '../shapes/thread-item.ts'
import { pastTurnShape, type TurnFacts } from '../shapes/turn.ts'

/** Conversation to read turns from, open or not. */
export interface TurnSource {
  readonly parley: Parley
  readonly conversationId: ConversationId
  readonly cwd: string
}

export interface TurnsPage {
  /** Seq that the page begins beside, where an earlier one ended; null for the beginning of its direction. */
  readonly cursor: number | null
  readonly limit: number
  readonly direction: 'asc' | 'desc'
}

const mostTurns = 200

/** Reads a page of turns and the cursor of the next one; null on the last page. */
export async function readTurns({ parley, conversationId }: TurnSource, { cursor, limit, direction }: TurnsPage) {
  if (direction === 'desc') {
    const range = { conversationId, limit: Math.min(limit, mostTurns), ...(cursor === null ? {} : { before: cursor }) }
    const { turns, more } = await parley.request('conversation/turns', range)
    return { turns: turns.toReversed(), next: more ? (turns[0]?.startSeq ?? null) : null }
  }
  const all = (await allTurns({ parley, conversationId })).filter(({ startSeq }) => startSeq > (cursor ?? 0))
  const turns = all.slice(0, limit)
  return { turns, next: all.length > turns.length ? (turns.at(-1)?.startSeq ?? null) : null }
}

/** Reads all turns, oldest first. */
export async function allTurns({ parley, conversationId }: Omit<TurnSource, 'cwd'>): Promise<PastTurn[]> {
  let turns: PastTurn[] = []
  for (let before: number | undefined; ; before = turns[0]?.startSeq) {
    const range = { conversationId, limit: mostTurns, ...(before === undefined ? {} : { before }) }
    const page = await parley.request('conversation/turns', range)
    turns = [...page.turns, ...turns]
    if (!page.more) return turns
  }
}

export async function turnShapes(source: TurnSource, turns: readonly PastTurn[], view: TurnFacts['itemsView']) {
  const shapes = []
  for (const turn of turns) shapes.push(pastTurnShape(turn, await itemsOf(source, turn, view), view))
  return shapes
}

async function itemsOf(source: TurnSource, turn: PastTurn, view: TurnFacts['itemsView']): Promise<ThreadItem[]> {
  const summary = [turn.message, turn.answer].filter((item) => item !== null)
  const items = view === 'notLoaded' ? [] : view === 'summary' ? summary : await readItemsOf(source, turn)
  return items.flatMap((item) => shownItem(item, source.cwd) ?? [])
}

/** Reads all completed items of a turn, oldest first. */
async function readItemsOf({ parley, conversationId }: TurnSource, { startSeq, endSeq }: PastTurn) {
  let items: CompletedItem[] = []
  for (let before = endSeq; ; before = items[0]?.seq ?? startSeq) {
    const range = { conversationId, after: startSeq, limit: 1000, ...(before === null ? {} : { before }) }
    const page = await parley.request('conversation/read', range)
    items = [...page.items, ...items]
    if (!page.more) return items
  }
}

/**
 * Returns an item of the log for clients, with the time of its end for both of its times; null for one that has no
 * form.
 */
export function shownItem({ item, at }: CompletedItem, cwd: string): ThreadItem | null {
  return threadItemOf(item, { startedAtMs: at, completedAtMs: at }, cwd)
}
