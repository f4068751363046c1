import type { Envelope } from '@parley/protocol'
import { RpcError } from '@parley/rpc'
import { expect, test } from 'vitest'
import { connectClient } from '../../src/low-level.ts'
import { Parley } from '../../src/parley.ts'
import type { LeaveOptions } from '../../src/server/leave-server.ts'
import { conversationId, cursorAt, fakeServer, stateAt } from '../fake-server.ts'

const by = { clientId: 'c-1', name: 'a' }

test('a message whose turn has just begun is stopped by interrupting that turn', async () => {
  const began: Envelope[] = []
  const record = (event: Envelope['event']) => {
    began.push({ conversationId, seq: began.length + 1, at: 0, event })
  }
  const server = fakeServer({
    'conversation/create': () => ({ conversationId }),
    'conversation/stream': () => ({ cursor: cursorAt(0), state: stateAt(0) }),
    'conversation/unstream': () => ({}),
    'conversation/sendMessage': () => ({ seq: 1, turnId: null, disposition: 'queued' }),
    'conversation/readEvents': () => ({ events: began, more: false }),
    'conversation/inbox/remove': () => {
      throw new RpcError(-32010, 'It is not queued any more.', { code: 'messageNotQueued' })
    },
    'conversation/interrupt': () => ({ interrupted: true }),
  })
  const client = await connectClient({ ...server, clientInfo: { name: 'a', version: '0' }, canApprove: true })
  const ending = { explain: () => Promise.reject(), leave: ({ close }: LeaveOptions) => close().then(() => null) }
  await using parley = new Parley(client, ending)
  const conversation = await parley.create()
  const stop = new AbortController()
  await conversation.send('hello', { messageId: 'm-1', when: 'queue', signal: stop.signal })
  stop.abort()
  await server.next('conversation/inbox/remove')
  const text = 'hello'
  const content = [{ type: 'text' as const, text }]
  record({ type: 'turn.started', turnId: 't-1', trigger: 'inbox' })
  record({
    type: 'item.completed',
    turnId: 't-1',
    item: { type: 'userMessage', id: 'u-1', status: 'completed', title: text, text, content, messageId: 'm-1', by },
  })
  for (const envelope of began) server.event(envelope)
  expect(await server.next('conversation/interrupt')).toEqual({ conversationId, turnId: 't-1' })
})
