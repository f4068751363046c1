import type { ConversationEvent, ConversationState, QueuedMessage } from '@parley/protocol'
import { formatBytes } from '@parley/workspace'
import type { Ids } from '../../ports/ids.ts'
import { rejection } from '../replies/rejection.ts'
import { jsonBytes } from '../replies/wire-limits.ts'
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

/** JSON bytes of all messages that wait: every client gets them in one line, with all else of the state. */
const inboxBytes = 8 * 1024 * 1024

/** Messages never change, and each is measured again for every one that comes after it. */
const measured = new WeakMap<QueuedMessage, number>()

/** Refuses what, waiting with the others, would make a state that no client can be sent. */
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
