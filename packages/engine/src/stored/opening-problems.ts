import { backgroundLost, type ConversationEvent, type ConversationState, type ItemId } from '@parley/protocol'
import type { Conversation } from '../conversation/conversation.ts'
import { noticeItem } from '../conversation/notices.ts'
import { backgroundEnded, lostTitle } from '../core/view/background-left.ts'
import { rejection } from '../replies/rejection.ts'

/** Returns the notice that background commands of an earlier process no longer run; no event where all of them run on. */
export function lostBackground(
  { view }: Conversation,
  runningOn: ReadonlyMap<ItemId, number>,
  newItemId: () => ItemId,
): ConversationEvent[] {
  const { background } = view.calls
  const lost = new Map([...background].filter(([itemId]) => !runningOn.has(itemId)))
  if (lost.size === 0) return []
  // A notice with the code `backgroundLost` says that all background commands have ended.
  const ends =
    lost.size === background.size
      ? { code: backgroundLost }
      : { code: backgroundEnded, ended: [...lost.keys()].map((itemId) => ({ itemId })) }
  const notice = { level: 'warning', title: lostTitle(lost), ...ends } as const
  return [{ type: 'item.completed', item: noticeItem(newItemId(), notice) }]
}

/** Returns the event that ends the port forwards of an earlier process; no event where it had no forwards. */
export function lostForwards({ state }: Conversation): ConversationEvent[] {
  return state.core.forwards === undefined ? [] : [{ type: 'forwards.changed', forwards: [] }]
}

/** Throws `storageFailed` where lines of another writer have got into a rescued log. */
export function assertRescued(loaded: ConversationState, rescuedDigest: string): void {
  if (loaded.core.digest === rescuedDigest) return
  throw rejection('storageFailed', 'The log was overwritten, and memory no longer holds the whole conversation.')
}
