import type { ConversationEvent } from '@parley/protocol'
import { ClientError } from '../errors.ts'

/** Which turn: the one that a message is answered in, or one that is known. */
export type TurnKey = { readonly messageId: string } | { readonly turnId: string }

/** Told of a conversation's events in order, it answers with those that belong to the turn. */
export interface TurnScope {
  /** Null until the message got its turn. */
  readonly turnId: string | null
  /** Throws `messageRemoved` when the message was taken back. */
  take(event: ConversationEvent): readonly ConversationEvent[]
}

export function createTurnScope(key: TurnKey): TurnScope {
  let turnId = 'turnId' in key ? key.turnId : null
  let begun: ConversationEvent | null = null
  const items = new Set<string>()
  const approvals = new Set<string>()

  /** A turn says that it starts before it says with which message. */
  function find(messageId: string, event: ConversationEvent): readonly ConversationEvent[] {
    if (event.type === 'turn.started') begun = event
    if (event.type === 'model.requested') begun = null
    if (event.type === 'message.removed' && event.messageId === messageId) throw removed()
    if (event.type !== 'item.completed' || event.item.type !== 'userMessage') return []
    if (event.item.messageId !== messageId || event.turnId === undefined) return []
    turnId = event.turnId
    return begun === null ? [event] : [begun, event]
  }

  function belongs(event: ConversationEvent): boolean {
    switch (event.type) {
      case 'item.delta':
      case 'item.progress':
      case 'item.began':
      case 'item.discarded':
        return items.has(event.itemId)
      case 'approval.requested':
        if (event.approval.turnId === turnId) approvals.add(event.approval.id)
        return approvals.has(event.approval.id)
      case 'approval.decided':
        return approvals.has(event.approvalId)
      case 'plan.updated':
        return true
      default:
        return 'turnId' in event && event.turnId === turnId
    }
  }

  return {
    get turnId() {
      return turnId
    },
    take(event) {
      if (turnId === null) return 'messageId' in key ? find(key.messageId, event) : []
      if (!belongs(event)) return []
      if (event.type === 'item.started') items.add(event.item.id)
      return [event]
    },
  }
}

function removed(): ClientError {
  return new ClientError('messageRemoved', 'The message was taken back before a turn began with it.')
}
