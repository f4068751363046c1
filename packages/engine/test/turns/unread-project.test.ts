import { type ConversationEvent, initialState, reduce } from '@parley/protocol'
import { expect, it } from 'vitest'
import { TurnLoop } from '../../src/turn/turn-loop.ts'

const ids = { turn: () => 't1', item: () => 'i1' }

type Parts = ConstructorParameters<typeof TurnLoop>[0]

const queued: ConversationEvent = {
  type: 'message.queued',
  message: {
    messageId: 'm1',
    when: 'queue',
    content: [{ type: 'text', text: 'go' }],
    by: { clientId: 'c', name: 'c' },
  },
}

/** A loop in a conversation whose project is being read until the test ends that. */
function readingLoop() {
  const reading = Promise.withResolvers<void>()
  let state = initialState('c')
  let isRead = false
  const faults: unknown[] = []
  const record = (event: ConversationEvent) => {
    state = reduce(state, { conversationId: 'c', seq: state.core.seq + 1, at: 0, event })
  }
  const conversation = {
    get state() {
      return state
    },
    view: { request: { reading: () => [][Symbol.iterator]() } },
    record,
    recordAll: (events: readonly ConversationEvent[]) => events.forEach(record),
  }
  const project = {
    get isRead() {
      return isRead
    },
    read: () => reading.promise,
  }
  const storage = { worked: () => undefined, close: () => undefined, hurry: () => undefined }
  const act = { project, limits: { enforcement: 'full' }, hooks: { begin: () => null } }
  // narrowed: what a loop uses before a step
  const roles = { record: { conversation, storage, ids }, model: { budget: {} }, act, people: {} } as unknown as Parts
  const loop = new TurnLoop(roles, (fault) => faults.push(fault))
  return {
    loop,
    record,
    faults,
    turn: () => state.core.turn,
    endReading() {
      isRead = true
      reading.resolve()
    },
  }
}

it('does not send a message that was taken back while the machine of its project was waited for', async () => {
  const { loop, record, faults, turn, endReading } = readingLoop()
  record(queued)
  loop.wake()
  record({ type: 'message.removed', messageId: 'm1', by: { clientId: 'c', name: 'c' } })
  endReading()
  await expect.poll(() => loop.running).toBe(false)
  expect({ turn: turn(), faults }).toEqual({ turn: null, faults: [] })
})
