import type { ConversationEvent } from '@parley/protocol'
import { ClientError } from '../connection/errors.ts'

/** Which turn: the one that a message is answered in, or one that is known, with the items and approvals it has already. */
export type TurnKey = { readonly messageId: string } | { readonly turnId: string; readonly begun?: readonly string[] }

/** Told of a conversation's events in order, it answers with those that belong to the turn. */
export interface TurnScope {
  /** Null until the message got its turn. */
  readonly turnId: string | null
  /** Throws `messageRemoved` when the message was taken back. */
  take(event: ConversationEvent): readonly ConversationEvent[]
}

export function createTurnScope(key: TurnKey): TurnScope {
  let turnId = 'turnId' in key ? key.turnId : null
  let started: ConversationEvent | null = null
  /** Ids of its items and approvals. */
  const parts = new Set('turnId' in key ? key.begun : [])

  /** A turn says that it starts before it says with which message. */
  function find(messageId: string, event: ConversationEvent): readonly ConversationEvent[] {
    if (event.type === 'turn.started') started = event
    if (event.type === 'model.requested') started = null
    if (event.type === 'message.removed' && event.messageId === messageId) throw removed()
    if (event.type !== 'item.completed' || event.item.type !== 'userMessage') return []
    if (event.item.messageId !== messageId || event.turnId === undefined) return []
    turnId = event.turnId
    return started === null ? [event] : [started, event]
  }

  function belongs(event: ConversationEvent): boolean {
    switch (event.type) {
      case 'item.delta':
      case 'item.progress':
      case 'execution.started':
      case 'execution.failed':
      case 'item.discarded':
        return parts.has(event.itemId)
      case 'approval.requested':
        return event.approval.turnId === turnId
      case 'approval.decided':
        return parts.has(event.approvalId)
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
      if (event.type === 'item.started') parts.add(event.item.id)
      if (event.type === 'approval.requested') parts.add(event.approval.id)
      return [event]
    },
  }
}

function removed(): ClientError {
  return new ClientError('messageRemoved', 'The message was taken back before a turn began with it.')
}
