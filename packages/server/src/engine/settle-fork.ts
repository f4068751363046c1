import {
  type Approval,
  type ConversationEvent,
  type ConversationState,
  isCall,
  recover,
  reduce,
  standingOutcome,
} from '@parley/protocol'
import { parleyItself } from './parley-itself.ts'

const notAnswered = 'Not run: this conversation was forked before the question was answered.'

/**
 * Settles what was open at the point of a fork: its approvals and waiting messages belong to the original. A call that
 * ran there and asks something is unknown here, which recovery says.
 */
export function settleFork(state: ConversationState): readonly ConversationEvent[] {
  const { approvals, inbox } = state.core
  const left: ConversationEvent[] = [
    ...Object.values(approvals)
      .filter(({ kind }) => kind !== 'elicitation')
      .flatMap((approval) => denyAsked(state, approval)),
    ...inbox.map(({ messageId }): ConversationEvent => ({ type: 'message.removed', messageId, by: parleyItself })),
  ]
  return [...left, ...recover(foldAll(state, left))]
}

function denyAsked({ core }: ConversationState, { id: approvalId, itemId, turnId }: Approval): ConversationEvent[] {
  const decided: ConversationEvent = {
    type: 'approval.decided',
    approvalId,
    decision: 'withdrawn',
    note: 'forked',
    by: parleyItself,
  }
  const open = core.open[itemId]
  const standing = open === undefined ? null : standingOutcome(open)
  if (standing !== null) return [decided, { type: 'item.completed', turnId, item: standing }]
  const item = open?.item
  if (item === undefined || !isCall(item)) return [decided]
  return [decided, { type: 'item.completed', turnId, item: { ...item, status: 'denied', modelText: notAnswered } }]
}

function foldAll(state: ConversationState, events: readonly ConversationEvent[]): ConversationState {
  const { conversationId } = state.core.meta
  return events.reduce(
    (folded, event) => reduce(folded, { conversationId, seq: folded.core.seq + 1, at: 0, event }),
    state,
  )
}
