import { RpcError } from '@parley/rpc'
import { describe, expect, test } from 'vitest'
import { connectClient } from '../../src/connection/client.ts'
import { checkResult } from '../check-result.ts'
import { conversationId, fakeServer, named } from '../fake-server.ts'

const about = { clientInfo: { name: 'test', version: '1.2.3' }, canApprove: true } as const

function connectTo(server: ReturnType<typeof fakeServer>, more: Partial<Parameters<typeof connectClient>[0]> = {}) {
  return connectClient({ transport: server.transport, ...about, ...more })
}

describe('a connection', () => {
  test('begins with a handshake that says who we are and what we can do', async () => {
    const server = fakeServer()
    const client = await connectTo(server)
    expect(server.asked).toEqual([
      [
        'initialize',
        {
          protocolVersion: { min: 2, max: 2 },
          clientInfo: { name: 'test', version: '1.2.3' },
          capabilities: ['approvals'],
        },
      ],
    ])
    expect(client.server).toMatchObject({ clientId: 'c-1', home: '/h' })
  })

  test('claims no approvals for a client that cannot answer them', async () => {
    const server = fakeServer()
    await connectTo(server, { canApprove: false })
    expect(server.asked[0]?.[1]).toMatchObject({ capabilities: [] })
  })

  test('fails with the words of a server that refuses it', async () => {
    const refuse = () => {
      throw new RpcError(-32600, 'No common protocol version.', { code: 'protocolVersion' })
    }
    await expect(connectTo(fakeServer({ initialize: refuse }))).rejects.toMatchObject({
      message: 'No common protocol version.',
      data: { code: 'protocolVersion' },
    })
  })

  test('to a server of protocol 1 fails with one sentence that names both ranges', async () => {
    // Word for word what a server of version 1 answers to this client.
    const message =
      'This server is parley 0.1.0 and speaks protocol 1, but the client test 1.2.3 speaks 2: update the server, then end it so that it starts anew.'
    const data = { server: { min: 1, max: 1 }, client: { min: 2, max: 2 }, code: 'protocolVersion' }
    const answer = () => {
      throw new RpcError(-32600, message, data)
    }
    await expect(connectTo(fakeServer({ initialize: answer }))).rejects.toMatchObject({ message, data })
  })

  test('fails when the server is gone before it answers', async () => {
    const server = fakeServer({ initialize: () => new Promise(() => undefined) })
    const connecting = connectTo(server)
    await server.next('initialize')
    await Promise.all([
      server.close(),
      expect(connecting).rejects.toMatchObject({ data: { code: 'connectionClosed' } }),
    ])
  })

  test('passes notices on', async () => {
    const server = fakeServer()
    const told = Promise.withResolvers<unknown>()
    await connectTo(server, { callbacks: { onNotice: told.resolve } })
    const notice = { level: 'error', code: 'storageFailed', message: 'The disk is full.' }
    server.notice(notice)
    expect(await told.promise).toEqual(notice)
  })

  test.each([
    { code: 'storageFailed', message: 'without a level' },
    { level: 'loud', code: 'storageFailed', message: 'with a level that is not known' },
    { level: 'error', code: 'storageFailed', message: 7 },
  ])('leaves out a notice that no program can show: %o', async (broken) => {
    const server = fakeServer()
    const told = Promise.withResolvers<unknown>()
    await connectTo(server, { callbacks: { onNotice: told.resolve } })
    const notice = { level: 'info', code: 'idle', message: 'The server is idle.' }
    server.notice(broken)
    server.notice(notice)
    expect(await told.promise).toEqual(notice)
  })
})

describe('a request', () => {
  test('resolves to the result', async () => {
    const server = fakeServer({ 'conversation/list': () => ({ conversations: [], nextCursor: null }) })
    const client = await connectTo(server)
    expect(await client.request('conversation/list', { limit: 1 })).toEqual({ conversations: [], nextCursor: null })
    expect(server.asked.at(-1)).toEqual(['conversation/list', { limit: 1 }])
  })

  test('rejects with the error of the catalogue', async () => {
    const refuse = () => {
      throw new RpcError(-32004, 'There is none.', { code: 'conversationNotFound', nearest: ['x'] })
    }
    const client = await connectTo(fakeServer({ 'conversation/resume': refuse }))
    await expect(client.request('conversation/resume', { last: true })).rejects.toMatchObject({
      data: { code: 'conversationNotFound', nearest: ['x'] },
    })
  })

  test('rejects when the connection closes, and only then is the connection told to be closed', async () => {
    const server = fakeServer({ 'conversation/list': () => new Promise(() => undefined) })
    const client = await connectTo(server)
    const order: string[] = []
    const request = client.request('conversation/list', {}).catch((error: unknown) => {
      order.push('rejected')
      return error
    })
    await server.next('conversation/list')
    await client.close()
    await client.closed.then(() => order.push('closed'))
    expect(await request).toMatchObject({ data: { code: 'connectionClosed' } })
    expect(order).toEqual(['rejected', 'closed'])
    await expect(client.request('conversation/list', {})).rejects.toMatchObject({ data: { code: 'connectionClosed' } })
  })
})

describe('events', () => {
  test('reach the listeners of their conversation, in order, until they leave', async () => {
    const server = fakeServer({ 'conversation/list': () => ({ conversations: [], nextCursor: null }) })
    const client = await connectTo(server)
    const seen: number[] = []
    const leave = client.onEvent(conversationId, ({ seq }) => void seen.push(seq))
    client.onEvent('another', () => void seen.push(-1))
    server.event(named(1))
    server.event(named(2))
    // An answer comes after everything that was sent before it.
    await client.request('conversation/list', {})
    leave()
    server.event(named(3))
    await client.request('conversation/list', {})
    expect(seen).toEqual([1, 2])
  })

  test('that are none are ignored', async () => {
    const server = fakeServer({ 'conversation/list': () => ({ conversations: [], nextCursor: null }) })
    const client = await connectTo(server)
    const seen: unknown[] = []
    client.onEvent(conversationId, (envelope) => void seen.push(envelope))
    server.event({ conversationId, seq: 'one', at: 0, event: { type: 'x' } })
    await client.request('conversation/list', {})
    expect(seen).toEqual([])
  })
})

describe('a result that does not fit the protocol', () => {
  const server = () => fakeServer({ 'conversation/interrupt': () => ({ interrupted: 'perhaps' }) })

  test('is rejected where results are checked', async () => {
    const client = await connectTo(server(), { callbacks: { checkResult } })
    await expect(client.request('conversation/interrupt', { conversationId })).rejects.toThrow(/interrupted/)
  })

  test('passes where they are not', async () => {
    const client = await connectTo(server())
    expect(await client.request('conversation/interrupt', { conversationId })).toEqual({ interrupted: 'perhaps' })
  })
})
