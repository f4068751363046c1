import { expect, test } from 'vitest'
import { connectClient } from '../../src/low-level.ts'
import { Parley } from '../../src/parley.ts'
import type { LeaveOptions } from '../../src/server/leave-server.ts'
import { conversationId, cursorAt, fakeServer, stateAt } from '../fake-server.ts'

test('a conversation that was closed leaves nothing in its connection', async () => {
  const server = fakeServer({
    'conversation/create': () => ({ conversationId }),
    'conversation/stream': () => ({ cursor: cursorAt(0), state: stateAt(0) }),
    'conversation/unstream': () => ({}),
  })
  const client = await connectClient({ ...server, clientInfo: { name: 'a', version: '0' }, canApprove: true })
  const heard = new Set<object>()
  const onAccessEnded: typeof client.onAccessEnded = (id, listener) => {
    heard.add(listener)
    const remove = client.onAccessEnded(id, listener)
    return () => {
      heard.delete(listener)
      remove()
    }
  }
  const ending = { explain: () => Promise.reject(), leave: ({ close }: LeaveOptions) => close().then(() => null) }
  await using parley = new Parley({ ...client, onAccessEnded }, ending)
  const conversation = await parley.create()
  expect(heard.size).toBe(1)
  await conversation.close()
  expect(heard.size).toBe(0)
})
