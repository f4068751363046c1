import type { ConversationEvent, ConversationState, QueuedMessage, TurnId } from '@parley/protocol'
import { formatBytes } from '@parley/workspace'
import type { Ids } from '../../ports/ids.ts'
import { rejection } from '../replies/rejection.ts'
import { jsonBytes } from '../replies/wire-limits.ts'
import { userMessageItem } from './user-message.ts'

type Message = Pick<QueuedMessage, 'messageId' | 'content' | 'by' | 'outputSchema'>

/**
 * Returns the events that move a waiting message into a turn. The item comes first and removes the message from the
 * inbox, so a log cut between the two never loses it.
 */
export function consumedMessage(ids: Pick<Ids, 'item'>, turnId: TurnId, message: Message): ConversationEvent[] {
  return [
    { type: 'item.completed', turnId, item: userMessageItem(ids.item(), message) },
    { type: 'message.consumed', messageId: message.messageId },
  ]
}

/** Returns the events that start a turn with a waiting message. */
export function startInboxTurn(ids: Pick<Ids, 'item' | 'turn'>, message: Message): ConversationEvent[] {
  const turnId = ids.turn()
  const { outputSchema } = message
  const schema = outputSchema === undefined ? {} : { outputSchema }
  return [{ type: 'turn.started', turnId, trigger: 'inbox', ...schema }, ...consumedMessage(ids, turnId, message)]
}

/** JSON bytes of all waiting messages; every client gets them in one line with the rest of the state. */
const inboxBytes = 8 * 1024 * 1024

/** Sizes of messages, which never change; each would be measured again for every later message. */
const measured = new WeakMap<QueuedMessage, number>()

/** Throws `inboxFull` when the waiting messages would make a state too large to send. */
export function assertInboxRoom(
  { core }: ConversationState,
  message: Pick<QueuedMessage, 'messageId' | 'content' | 'outputSchema'>,
): void {
  const others = core.inbox.filter(({ messageId }) => messageId !== message.messageId)
  const waitingBytes = others.reduce((sum, other) => sum + sizeOf(other), 0)
  const sizeBytes = jsonBytes(message)
  if (waitingBytes + sizeBytes <= inboxBytes) return
  throw rejection(
    'inboxFull',
    `${others.length} messages with ${formatBytes(waitingBytes)} wait already, and together with this one (${formatBytes(sizeBytes)}) they would be more than ${formatBytes(inboxBytes)}. Send it when some have been taken, or take one back.`,
    { limitBytes: inboxBytes },
  )
}

function sizeOf(message: QueuedMessage): number {
  const known = measured.get(message) ?? jsonBytes(message)
  measured.set(message, known)
  return known
}
