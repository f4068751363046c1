import type { Envelope } from '@parley/protocol'
import { expect, test } from 'vitest'
import { connectClient } from '../../src/low-level.ts'
import { Parley } from '../../src/parley.ts'
import type { LeaveOptions } from '../../src/server/leave-server.ts'
import { conversationId, cursorAt, fakeServer, stateAt } from '../fake-server.ts'

const by = { clientId: 'c-1', name: 'a' }
const text = 'hello'
const usage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, reasoningTokens: 0 }

const turn: readonly Envelope['event'][] = [
  { type: 'turn.started', turnId: 't-1', trigger: 'inbox' },
  {
    type: 'item.completed',
    turnId: 't-1',
    item: {
      ...{ type: 'userMessage', id: 'u-1', status: 'completed', title: text, text, messageId: 'm-1', by },
      content: [{ type: 'text', text }],
    },
  },
  { type: 'turn.ended', turnId: 't-1', outcome: 'completed', usage, denials: [] },
]
const recorded = turn.map((event, at): Envelope => ({ conversationId, seq: at + 1, at: 0, event }))

/** A server that sends the whole turn of a message before the answer. */
function serverOf() {
  const server = fakeServer({
    'conversation/create': () => ({ conversationId }),
    'conversation/stream': () => ({ cursor: cursorAt(0), state: stateAt(0) }),
    'conversation/unstream': () => ({}),
    'conversation/sendMessage': () => {
      for (const envelope of recorded) server.event(envelope)
      return { seq: 2, turnId: 't-1', disposition: 'started' }
    },
    'conversation/readEvents': () => ({ events: recorded, more: false }),
  })
  return server
}

async function openAt(server: ReturnType<typeof fakeServer>): Promise<Parley> {
  const client = await connectClient({ ...server, clientInfo: { name: 'a', version: '0' }, canApprove: true })
  return new Parley(client, {
    explain: () => Promise.reject(),
    leave: ({ close }: LeaveOptions) => close().then(() => null),
  })
}

test('a turn whose events came with the answer does not ask the log for them', async () => {
  const server = serverOf()
  await using parley = await openAt(server)
  const conversation = await parley.create()
  const { turnId, outcome } = await (await conversation.send(text)).result
  expect({ turnId, outcome }).toEqual({ turnId: 't-1', outcome: 'completed' })
  expect(server.asked.map(([method]) => method)).not.toContain('conversation/readEvents')
})

test('the turn of a message that was sent before is read from the log', async () => {
  const server = serverOf()
  await using parley = await openAt(server)
  const conversation = await parley.create()
  await (await conversation.send(text, { messageId: 'm-1' })).result
  const { outcome } = await (await conversation.send(text, { messageId: 'm-1' })).result
  expect(outcome).toBe('completed')
  expect(server.asked.map(([method]) => method)).toContain('conversation/readEvents')
})
