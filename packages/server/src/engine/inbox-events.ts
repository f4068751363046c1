import type { ConversationEvent, QueuedMessage } from '@parley/protocol'
import type { Ids } from '../ports/ids.ts'
import { userMessageItem } from './user-message.ts'

type Message = Pick<QueuedMessage, 'messageId' | 'content' | 'by' | 'outputSchema'>

/**
 * A waiting message becomes part of a turn. The item comes first: it takes the message out of the inbox by itself, so a
 * log cut between the two never loses it.
 */
export function consumedMessage(ids: Pick<Ids, 'item'>, turnId: string, message: Message): ConversationEvent[] {
  return [
    { type: 'item.completed', turnId, item: userMessageItem(ids.item(), message) },
    { type: 'message.consumed', messageId: message.messageId },
  ]
}

/** A waiting message gets a turn of its own. */
export function startInboxTurn(ids: Pick<Ids, 'item' | 'turn'>, message: Message): ConversationEvent[] {
  const turnId = ids.turn()
  const { outputSchema } = message
  const schema = outputSchema === undefined ? {} : { outputSchema }
  return [{ type: 'turn.started', turnId, trigger: 'inbox', ...schema }, ...consumedMessage(ids, turnId, message)]
}
