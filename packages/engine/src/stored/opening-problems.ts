import { backgroundLost, type ConversationEvent, type ConversationId, type ItemId } from '@parley/protocol'
import { noticeItem } from '../conversation/notices.ts'
import { backgroundEnded, lostTitle } from '../core/view/background-left.ts'
import type { LiveConversation } from '../live/live-conversation.ts'
import type { LoadedConversation } from '../load/conversation-parts.ts'
import type { RescuedLog } from '../load/rescue-log.ts'
import { rejection } from '../replies/rejection.ts'

/** Returns the notice that background commands of an earlier process no longer run; none where all run on. */
export function lostBackground(
  { conversation, roles }: LiveConversation,
  runningOn: ReadonlyMap<ItemId, number>,
): ConversationEvent[] {
  const { background } = conversation.view
  const lost = new Map([...background].filter(([itemId]) => !runningOn.has(itemId)))
  if (lost.size === 0) return []
  // A notice with the code `backgroundLost` says that none runs any more.
  const ends =
    lost.size === background.size
      ? { code: backgroundLost }
      : { code: backgroundEnded, ended: [...lost.keys()].map((itemId) => ({ itemId })) }
  const notice = { level: 'warning', title: lostTitle(lost), ...ends } as const
  return [{ type: 'item.completed', item: noticeItem(roles.record.ids.item(), notice) }]
}

/** Returns the event that the ports which an earlier process forwarded no longer are; none where there were none. */
export function lostForwards({ conversation }: LiveConversation): ConversationEvent[] {
  return conversation.state.core.forwards === undefined ? [] : [{ type: 'forwards.changed', forwards: [] }]
}

/** Throws `storageFailed` where lines of another writer have got into a rescued log. */
export function assertRescued({ begin }: LoadedConversation, { digest }: RescuedLog): void {
  if (begin.fold.state.core.digest === digest) return
  throw rejection('storageFailed', 'The log was overwritten, and memory no longer holds the whole conversation.')
}

/** Builds the rejection for a log without events, which a crash leaves before the first one. */
export function emptyLog(conversationId: ConversationId) {
  return rejection('conversationNotFound', `The log of conversation ${conversationId} holds no event.`)
}

/** Builds the rejection for an id without a conversation. */
export function notThere(conversationId: ConversationId) {
  return rejection('conversationNotFound', `There is no conversation ${conversationId}.`)
}
