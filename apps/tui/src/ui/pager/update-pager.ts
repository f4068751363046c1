import type { CompletedItem, ConversationState } from '@parley/protocol'
import { ownerOf } from '../../view/pager/entry.ts'
import type { PagePosition } from '../../view/pager/page.ts'
import type { KeyEvent } from '../keys/key-event.ts'
import { withChunks } from './file-chunks.ts'
import { boundHistory, fillGap, followHistory, gapId, type PageRequest } from './history.ts'
import { entriesOf, type Pager, type PagerSize, roomOf, runningItems } from './pager.ts'
import { pressInPager } from './press-pager.ts'
import { ended, joined, type PagerStep, pagerStep, readAround } from './read-more.ts'
import { seek } from './seek.ts'

/** Event that changes the transcript view. */
export type PagerEvent =
  | { readonly kind: 'key'; readonly event: KeyEvent }
  /** The conversation went on, or the terminal has another size. */
  | { readonly kind: 'followed'; readonly state: ConversationState }
  | {
      readonly kind: 'itemsRead'
      readonly request: PageRequest
      readonly items: readonly CompletedItem[]
      readonly more: boolean
    }
  | {
      readonly kind: 'chunkRead'
      readonly id: string
      readonly file: string
      readonly first: number
      readonly texts: readonly string[]
      readonly totalBytes: number
    }
  | { readonly kind: 'notRead'; readonly id: string; readonly problem: string }
  | { readonly kind: 'noted'; readonly text: string }

/** Returns the next state of the view and what to read or do for it; the only way it changes. */
export function updatePager(pager: Pager, event: PagerEvent, size: PagerSize): PagerStep {
  const step = changed(pager, event, size)
  return joined(step, readAround(step.pager, roomOf(step.pager, size)))
}

function changed(pager: Pager, event: PagerEvent, size: PagerSize): PagerStep {
  switch (event.kind) {
    case 'key':
      return pressInPager(pager, event.event, size)
    case 'followed':
      return pagerStep(follow(pager, event.state))
    case 'itemsRead':
      return seek(withItems(pager, event), size)
    case 'chunkRead':
      return seek(withBytes(pager, event), size)
    case 'notRead':
      return seek(ended(pager, event.id, event.problem), size)
    case 'noted':
      return pagerStep({ ...pager, note: event.text })
  }
}

function follow(pager: Pager, state: ConversationState): Pager {
  const history = followHistory(pager.history, state)
  return { ...pager, history, running: runningItems(state), itemCount: state.core.counts.items }
}

function withItems(pager: Pager, { request, items, more }: PagerEvent & { kind: 'itemsRead' }): Pager {
  const id = gapId(request.gap)
  const filled = fillGap(pager.history, request, { items, more })
  const place = placeIn(filled, request)
  const top = pager.top?.id === id ? place : pager.top
  const cursor = pager.cursor === id ? (place?.id ?? null) : pager.cursor
  const next: Pager = { ...ended(pager, id, null), top, cursor, history: filled }
  return { ...next, history: boundHistory(filled, placesOf(next)) }
}

/** Returns the item in a gap's place on the screen: the newest loaded one for its lower end, else the oldest. */
function placeIn(history: Pager['history'], { gap, end }: PageRequest): PagePosition | null {
  const items = history.flatMap((part) => (part.kind === 'items' ? part.items : []))
  const inside = items.filter(({ seq }) => seq > gap.after && seq < gap.before)
  const found = end === 'lower' ? inside.at(-1) : inside[0]
  const place = found ?? items.find(({ seq }) => seq >= gap.before)
  return place === undefined
    ? null
    : { id: place.item.id, row: found !== undefined && end === 'lower' ? Number.MAX_SAFE_INTEGER : 0 }
}

/** Returns the items that must stay in memory: on the screen, at the cursor, and at the place of a search. */
function placesOf(pager: Pager): readonly string[] {
  const ids = new Set([pager.top?.id, pager.cursor ?? undefined, pager.quest?.from.id])
  return entriesOf(pager).flatMap((entry) => (ids.has(entry.id) ? [ownerOf(entry) ?? entry.id] : []))
}

function withBytes(pager: Pager, { id, file, first, texts, totalBytes }: PagerEvent & { kind: 'chunkRead' }): Pager {
  const known = pager.files.get(file) ?? { totalBytes, chunks: new Map() }
  const read = withChunks({ ...known, totalBytes }, first, texts)
  const isEntered = pager.top?.id === id && pager.isMovingUp
  const top = isEntered ? { id, row: Number.MAX_SAFE_INTEGER } : pager.top
  return { ...ended(pager, id, null), top, files: new Map(pager.files).set(file, read) }
}
