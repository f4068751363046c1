import {
  type ApprovalId,
  type ClientId,
  type ConversationId,
  type ConversationState,
  type EventOf,
  type Item,
  type ItemId,
  initialState,
  type MessageId,
  type ParamsOf,
  type ResultOf,
  reduce,
  type TurnId,
} from '@parley/protocol'
import { expect, it } from 'vitest'

const conversation: ConversationId = 'c'
const turn: TurnId = 't'
const item: ItemId = 'i'
const approval: ApprovalId = 'a'
const message: MessageId = 'm'
const client: ClientId = 'k'

it('an id of one kind is refused where another kind is wanted', () => {
  // @ts-expect-error a turn is no item
  const wrongItem: ItemId = turn
  // @ts-expect-error an item is no turn
  const wrongTurn: TurnId = item
  // @ts-expect-error an item is no approval
  const wrongApproval: ApprovalId = item
  // @ts-expect-error a turn is no conversation
  const wrongConversation: ConversationId = turn
  // @ts-expect-error a turn is no message
  const wrongMessage: MessageId = turn
  // @ts-expect-error a conversation is no client
  const wrongClient: ClientId = conversation
  expect([wrongItem, wrongTurn, wrongApproval, wrongConversation, wrongMessage, wrongClient]).toHaveLength(6)
})

it('events tell ids apart', () => {
  const started: EventOf<'turn.started'> = { type: 'turn.started', turnId: turn, trigger: 'message' }
  // @ts-expect-error an item is no turn
  const wrongTurn: EventOf<'turn.parked'> = { type: 'turn.parked', turnId: item, reason: '' }
  // @ts-expect-error a turn is no item
  const delta: EventOf<'item.delta'> = { type: 'item.delta', itemId: started.turnId, text: '' }
  // @ts-expect-error an approval is no message
  const removed: EventOf<'message.removed'> = { type: 'message.removed', messageId: approval }
  expect([wrongTurn, delta, removed]).toHaveLength(3)
})

it('requests and results tell ids apart', () => {
  const params: ParamsOf<'approval/decide'> = {
    conversationId: conversation,
    // @ts-expect-error an item is no approval
    approvalId: item,
    decision: 'denied',
  }
  const wrongItemId = (result: ResultOf<'conversation/sendMessage'>): ItemId | null => {
    // @ts-expect-error a turn is no item
    return result.turnId
  }
  const wrongTurnId = (result: ResultOf<'initialize'>): TurnId => {
    // @ts-expect-error a client is no turn
    return result.clientId
  }
  expect([params, wrongItemId, wrongTurnId]).toHaveLength(3)
})

it('the state tells ids apart', () => {
  const wrongKeys = ({ core }: ConversationState, shown: Item) => [
    // @ts-expect-error a turn is no item
    core.open[turn],
    // @ts-expect-error an item is no approval
    core.approvals[shown.id],
    core.open[shown.id],
  ]
  // @ts-expect-error a client is no conversation
  const state = initialState(client)
  expect(wrongKeys(state, { type: 'agentMessage', id: item, status: 'inProgress', title: '', text: '' })).toHaveLength(
    3,
  )
})

it('a plain string becomes an id without a cast, and an id is used as a string', () => {
  const id: string = item
  const state = initialState('c')
  const next = reduce(state, {
    conversationId: 'c',
    seq: 1,
    at: 1,
    event: { type: 'item.discarded', itemId: id, reason: '' },
  })
  expect(next.core.open).toEqual({})
  expect(message.length).toBe(1)
})
