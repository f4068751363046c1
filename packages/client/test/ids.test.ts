import type { ApprovalId, Conversation, ConversationId, ItemId, Parley, TurnId } from '@parley/client'
import { expect, it } from 'vitest'

const item: ItemId = 'i'
const turn: TurnId = 't'
const approval: ApprovalId = 'a'

it('the public library refuses an id of another kind', () => {
  const wrongCalls = [
    // @ts-expect-error an item is no approval
    (conversation: Conversation) => conversation.decide(item, 'denied'),
    // @ts-expect-error a turn is no conversation
    (parley: Parley) => parley.fork(turn),
    // @ts-expect-error a turn is no conversation
    (parley: Parley) => parley.resume(turn),
    (conversation: Conversation): ItemId => {
      // @ts-expect-error a conversation is no item
      return conversation.id
    },
  ]
  const calls = [
    (conversation: Conversation) => conversation.decide(approval, 'denied'),
    (parley: Parley) => parley.fork('plain text'),
    (parley: Parley) => parley.resume('a name'),
    (conversation: Conversation): ConversationId => conversation.id,
  ]
  expect(wrongCalls).toHaveLength(calls.length)
})
