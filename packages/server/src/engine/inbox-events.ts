import type { ConversationEvent, QueuedMessage } from '@parley/protocol'
import type { Ids } from '../ports/ids.ts'
import { userMessageItem } from './user-message.ts'

type Message = Pick<QueuedMessage, 'messageId' | 'content' | 'by'>

/** A waiting message becomes part of a turn; both events go into one write. */
export function consumedMessage(ids: Pick<Ids, 'item'>, turnId: string, message: Message): ConversationEvent[] {
  return [
    { type: 'message.consumed', messageId: message.messageId },
    { type: 'item.completed', turnId, item: userMessageItem(ids.item(), message) },
  ]
}

/** A waiting message gets a turn of its own. */
export function startInboxTurn(ids: Pick<Ids, 'item' | 'turn'>, message: Message): ConversationEvent[] {
  const turnId = ids.turn()
  return [{ type: 'turn.started', turnId, trigger: 'inbox' }, ...consumedMessage(ids, turnId, message)]
}
