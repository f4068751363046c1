import { type PointReads, pointBefore } from '@parley/presentation/rewind/point-before'
import { expect, test } from 'vitest'
import { after, answer, completed, turnEnded, turnStarted, userMessage } from '../view/scenes/conversation.ts'

const events = [
  completed(userMessage('first')),
  completed(answer('an answer')),
  turnEnded(),
  turnStarted,
  completed(userMessage('second')),
]

/** A conversation with these events, which have the numbers from 2 on. */
function conversation(list: typeof events) {
  const { window } = after(...list)
  const reads: Record<keyof PointReads, unknown> = {
    read: async ({ before, limit }: { before: number; limit: number }) => ({
      items: window.filter(({ seq }) => seq < before).slice(-limit),
      more: true,
    }),
    readEvents: async ({ after: { seq: from } }: { after: { seq: number } }) => ({
      events: list.map((event, index) => ({ seq: index + 2, event })).filter(({ seq }) => seq > from),
      more: false,
    }),
  }
  const placeOf = (id: string) => window.find(({ item }) => item.id === id) ?? { seq: 0, turnId: null }
  return { placeOf, ...(reads as unknown as PointReads) }
}

test('the point before a message is before the turn that it began', async () => {
  const open = conversation(events)
  expect(open.placeOf('u-second').turnId).toBe('t1')
  expect(await pointBefore(open, open.placeOf('u-second'))).toBe(4)
})

test('a message in the middle of a turn has the point right before it', async () => {
  const open = conversation([turnStarted, completed(userMessage('first')), completed(userMessage('steers'))])
  expect(await pointBefore(open, open.placeOf('u-steers'))).toBe(3)
})

test('there is no point before the first message', async () => {
  const open = conversation([turnStarted, completed(userMessage('first'))])
  expect(await pointBefore(open, { ...open.placeOf('u-first'), seq: 1 })).toBeNull()
})
