import type { ApprovalId, ConversationEvent, ItemId, MessageId, TurnId } from '@parley/protocol'
import { ClientError } from '../connection/errors.ts'

/** A turn named by the message it answers, or by its id together with its items and approvals so far. */
export type TurnKey =
  | { readonly messageId: MessageId }
  | { readonly turnId: TurnId; readonly begun?: readonly (ItemId | ApprovalId)[] }

/** A filter for the events of one turn; takes all events of the conversation in order. */
export interface TurnScope {
  /** Id of the turn; null until the message has one. */
  readonly turnId: TurnId | null
  /** Returns the events that are known to belong to the turn now. Throws `messageRemoved`. */
  take(event: ConversationEvent): readonly ConversationEvent[]
}

export function createTurnScope(key: TurnKey): TurnScope {
  let turnId = 'turnId' in key ? key.turnId : null
  let started: ConversationEvent | null = null
  /** Ids of its items and approvals. */
  const parts = new Set('turnId' in key ? key.begun : [])

  /** Finds the turn of a message. Holds `turn.started` back, because the message's item follows it. */
  function find(messageId: MessageId, event: ConversationEvent): readonly ConversationEvent[] {
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
