import type { Conversation } from '@parley/client'
import { expect, test } from 'vitest'
import { pointBefore } from '../../src/conversation/fork-point.ts'
import { after, answer, completed, turnEnded, turnStarted, userMessage } from '../view/scenes/conversation.ts'

const events = [
  completed(userMessage('first')),
  completed(answer('an answer')),
  turnEnded(),
  turnStarted,
  completed(userMessage('second')),
]

/** A conversation with these events, which have the numbers from 1 on. */
function conversation(list: typeof events): Pick<Conversation, 'state' | 'request'> {
  const state = after(...list)
  const request = (_: string, { after: from }: { after: { seq: number } }) =>
    Promise.resolve({
      events: list.map((event, index) => ({ seq: index + 2, event })).filter(({ seq }) => seq > from.seq),
      more: false,
    })
  return { state, request: request as unknown as Conversation['request'] }
}

test('the point before a message is before the turn that it began', async () => {
  const open = conversation(events)
  const turnId = open.state.window.at(-1)?.turnId
  expect(turnId).toBe('t1')
  expect(await pointBefore(open, 'u-second')).toBe(4)
})

test('a message in the middle of a turn has the point right before it', async () => {
  const open = conversation([turnStarted, completed(userMessage('first')), completed(userMessage('steers'))])
  expect(await pointBefore(open, 'u-steers')).toBe(3)
})

test('there is no point before a message that is gone', async () => {
  expect(await pointBefore(conversation(events), 'u-gone')).toBeNull()
})
