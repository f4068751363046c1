import { type Client, type Connect, failedConnection } from '@parley/client/low-level'
import { StdioTransport } from '@parley/frontends/src/mcp/stdio-transport.ts'
import { ConnectError, createMemoryTransportPair } from '@parley/rpc'
import { waitUntil } from '@parley/testkit'
import { afterAll, expect, test } from 'vitest'
import { connectorTo } from '../../../src/programs/engine-program.ts'
import { testPlace } from '../../engine/support/test-server.ts'
import { takeHand, type Wire } from './support/hand.ts'

const place = testPlace()
const server = place.start()
afterAll(() => place[Symbol.asyncDispose]())

test('the handshake names the server, agrees on a version and happens once', async () => {
  await using hand = await takeHand(server)
  expect(hand.received[0]).toEqual({
    jsonrpc: '2.0',
    id: 1,
    result: {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'parley-mcp-server', title: 'parley', version: 'test' },
    },
  })
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } }
  expect((await hand.request('initialize', params)).error).toEqual({
    code: -32600,
    message: 'initialize called more than once',
  })
})

test('a client that leaves more than 32 MiB unread is broken off', async () => {
  const [lines, far] = createMemoryTransportPair()
  await using _far = far
  const transport = new StdioTransport(lines)
  const closed = new Promise<void>((resolve) => {
    transport.onclose = resolve
  })
  const message = { jsonrpc: '2.0' as const, method: 'x', params: { text: 'y'.repeat(10 << 20) } }
  const sent = await Promise.allSettled(Array.from({ length: 6 }, () => transport.send(message)))
  expect(sent.map(({ status }) => status)).toEqual([...Array(4).fill('fulfilled'), 'rejected', 'rejected'])
  await closed
})

test('a connection to the server that is lost is made anew for the next call, which says why where it cannot', async () => {
  const connections: Client[] = []
  let isRejecting = false
  const connect: Connect = async (who) => {
    if (isRejecting) throw failedConnection(new Map([['wss://a', new ConnectError('refused', 'wss://a (401)')]]))
    const client = await connectorTo(server.engine)(who)
    connections.push(client)
    return client
  }
  await using hand = await takeHand(server, { connect })
  const list = () => hand.call('conversationsList', {}).answer
  const lose = async () => {
    const [lost] = connections.splice(0)
    await lost?.close()
    await lost?.closed
  }
  expect(await list()).toMatchObject({ isError: false })
  await lose()
  isRejecting = true
  expect(await list()).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('This token is not accepted: wss://a (401)') }],
  })
  isRejecting = false
  expect(await list()).toMatchObject({ isError: false })
  expect(connections).toHaveLength(1)
})

test('every tool has its schemas, and those of Codex keep their names', async () => {
  await using hand = await takeHand(server)
  const { tools } = (await hand.request('tools/list')).result
  expect(tools.map(({ name }: Wire) => name)).toEqual([
    'codex',
    'codex-reply',
    'parley',
    'parley-reply',
    'conversationCreate',
    'conversationSendMessage',
    'conversationStream',
    'conversationsList',
  ])
  const [codex, reply, parley] = tools
  expect(codex.inputSchema.required).toEqual(['prompt'])
  expect(codex.inputSchema).not.toHaveProperty('additionalProperties')
  expect(Object.keys(codex.inputSchema.properties)).toEqual([
    'prompt',
    'model',
    'profile',
    'cwd',
    'approval-policy',
    'sandbox',
    'config',
    'base-instructions',
    'developer-instructions',
    'compact-prompt',
    'include-plan-tool',
  ])
  expect(codex.outputSchema.required).toEqual(['conversationId', 'threadId', 'content'])
  expect(parley.inputSchema).toEqual(codex.inputSchema)
  expect(reply.inputSchema.required).toEqual(['prompt'])
  expect(Object.keys(reply.inputSchema.properties)).toEqual(['prompt', 'conversationId', 'threadId', 'sessionId'])
})

test.each([
  ['{not json', null, -32700],
  ['[]', null, -32600],
  ['5', null, -32600],
  ['{"id":77,"method":"ping"}', 77, -32600],
  ['{"jsonrpc":"1.0","id":78,"method":"ping"}', 78, -32600],
  ['{"jsonrpc":"2.0","id":79,"method":5}', 79, -32600],
  ['{"jsonrpc":"2.0","id":80,"method":"ping","params":5}', 80, -32600],
  ['{"jsonrpc":"2.0","id":{},"method":"ping"}', null, -32600],
  ['{"jsonrpc":"2.0","id":81,"method":"no/such"}', 81, -32601],
  ['{"jsonrpc":"2.0","id":82,"method":"resources/list"}', 82, -32601],
  ['{"jsonrpc":"2.0","id":83,"method":"tools/call","params":{}}', 83, -32602],
])('the line %s is answered with an error, and the connection lives', async (line, id, code) => {
  await using hand = await takeHand(server)
  hand.line(line)
  const { error } = await hand.until('the error', (message) => message.error !== undefined)
  expect([hand.received.at(-1).id, error.code]).toEqual([id, code])
  expect((await hand.request('ping')).result).toEqual({})
})

test('answers to questions that nobody asked are ignored', async () => {
  await using hand = await takeHand(server)
  for (const id of [0, 'x', 999, null]) hand.send({ jsonrpc: '2.0', id, result: { decision: 'approved' } })
  hand.send({ jsonrpc: '2.0', id: 3, error: 'no' })
  hand.notify('notifications/cancelled', { requestId: 999 })
  hand.notify('notifications/cancelled', {})
  hand.notify('no/such', { x: 1 })
  expect((await hand.request('ping')).result).toEqual({})
})

test('3,000 pipelined requests are all answered', async () => {
  await using hand = await takeHand(server)
  const methods = ['tools/list', 'ping', 'no/such']
  const ids = Array.from({ length: 3000 }, (_, n) => `p${n}`)
  for (const [n, id] of ids.entries()) hand.send({ jsonrpc: '2.0', id, method: methods[n % 3], params: {} })
  await waitUntil(() => hand.received.length >= 3001, { what: 'all answers' })
  expect(new Set(hand.received.slice(1).map(({ id }) => id))).toEqual(new Set(ids))
})
