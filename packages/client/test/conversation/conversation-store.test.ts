import type { Envelope } from '@parley/protocol'
import { RpcError } from '@parley/rpc'
import { waitUntil } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import { type ConversationStore, connectClient, openConversationStore } from '../../src/low-level.ts'
import { conversationId, cursorAt, type FakeServer, fakeServer, named, stateAt } from '../fake-server.ts'

type Reply = { cursor: unknown; state?: unknown; events?: unknown[]; reset?: true }

/** A store whose server answers each `conversation/stream` with the next reply, as soon as the test lets it. */
async function openStore(replies: (Reply | (() => Promise<Reply>))[]) {
  const server = fakeServer({
    'conversation/stream': () => {
      const reply = replies.shift()
      if (reply === undefined) throw new RpcError(-32603, 'no reply left')
      return typeof reply === 'function' ? reply() : reply
    },
    'conversation/unstream': () => ({}),
  })
  const client = await connectClient({ ...introduction, transport: server.transport })
  const store = await openConversationStore(client, conversationId)
  const told: (number | null)[] = []
  store.subscribe((envelope) => void told.push(envelope?.seq ?? null))
  return { server, client, store, told }
}

const introduction = { clientInfo: { name: 'test', version: '0' }, canApprove: false }

const notFound = () => {
  throw new RpcError(-32004, 'No such conversation.', { code: 'conversationNotFound' })
}

const snapshot = (seq: number): Reply => ({ cursor: cursorAt(seq), state: stateAt(seq) })
const found = (seq: number, events: unknown[] = []): Reply => ({ cursor: cursorAt(seq), events })

/** Resolves when the store has folded this far. */
function folded(store: ConversationStore, seq: number): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (store.state.core.seq < seq) return
      stop()
      resolve()
    }
    const stop = store.subscribe(look)
    look()
  })
}

function send(server: FakeServer, ...seqs: number[]): void {
  for (const seq of seqs) server.event(named(seq))
}

/** Collects what nobody caught, instead of the test runner. */
function uncaughtExceptions() {
  const before = process.listeners('uncaughtException')
  const errors: unknown[] = []
  process.removeAllListeners('uncaughtException').on('uncaughtException', (error) => void errors.push(error))
  return {
    errors,
    [Symbol.dispose]() {
      process.removeAllListeners('uncaughtException')
      for (const listener of before) process.on('uncaughtException', listener)
    },
  }
}

const streamed = (server: FakeServer) => server.asked.filter(([method]) => method === 'conversation/stream')

describe('a store', () => {
  test('tells every listener, also after one that throws, whose exception nobody swallows', async () => {
    const { server, store } = await openStore([snapshot(3)])
    const seen: (number | null)[] = []
    store.subscribe(() => {
      throw new Error('a bug of this program')
    })
    store.subscribe((envelope) => void seen.push(envelope?.seq ?? null))
    using thrown = uncaughtExceptions()
    send(server, 4, 5)
    await folded(store, 5)
    await waitUntil(() => thrown.errors.length === 2, { what: 'the exceptions' })
    expect(seen).toEqual([4, 5])
    expect(thrown.errors).toMatchObject([{ message: 'a bug of this program' }, { message: 'a bug of this program' }])
  })

  test('begins with the state of the server and folds what follows', async () => {
    const { server, store, told } = await openStore([snapshot(3)])
    expect(store.state).toEqual(stateAt(3))
    send(server, 4, 5)
    await folded(store, 5)
    expect(store.state).toEqual(stateAt(5))
    expect(told).toEqual([4, 5])
  })

  test('folds each event once, however often it comes', async () => {
    const { server, store, told } = await openStore([snapshot(3)])
    send(server, 2, 3, 4, 4, 3, 5)
    await folded(store, 5)
    expect(told).toEqual([4, 5])
  })

  test('takes events that arrive before the answer to its question', async () => {
    const answer = Promise.withResolvers<Reply>()
    const opening = openStoreEarly(answer.promise)
    await opening.server.next('conversation/stream')
    send(opening.server, 3, 4, 5)
    answer.resolve(snapshot(3))
    const store = await opening.store
    await folded(store, 5)
    expect(store.state).toEqual(stateAt(5))
  })

  test('no longer tells who has left', async () => {
    const { server, store } = await openStore([snapshot(0)])
    const told: (Envelope | null)[] = []
    const leave = store.subscribe((envelope) => void told.push(envelope))
    send(server, 1)
    await folded(store, 1)
    leave()
    send(server, 2)
    await folded(store, 2)
    expect(told).toHaveLength(1)
  })

  test('asks for the state anew when it is told to', async () => {
    const { store, told } = await openStore([snapshot(0), snapshot(2)])
    await store.refresh()
    expect(store.state).toEqual(stateAt(2))
    expect(told).toEqual([null])
  })

  test('asks for the state twice at once, and goes on after the newer answer', async () => {
    const { server, store, told } = await openStore([snapshot(0), snapshot(1), snapshot(2)])
    await Promise.all([store.refresh(), store.refresh()])
    expect(store.state).toEqual(stateAt(2))
    send(server, 3)
    await folded(store, 3)
    expect(told).toEqual([null, null, 3])
  })

  test('goes on with what came meanwhile when the answer is a rejection', async () => {
    const fail = async () => {
      send(server, 1, 2)
      throw new RpcError(-32001, 'overloaded')
    }
    const { server, store, told } = await openStore([snapshot(0), fail])
    await expect(store.refresh()).rejects.toThrow('overloaded')
    send(server, 3)
    await folded(store, 3)
    expect(told).toEqual([1, 2, 3])
  })

  test('that cannot be opened leaves nothing on its connection', async () => {
    const server = fakeServer({ 'conversation/stream': notFound })
    const client = await connectClient({ ...introduction, transport: server.transport })
    await expect(openConversationStore(client, conversationId)).rejects.toThrow('No such conversation')
    expect(client.follows(conversationId)).toBe(false)
  })

  test('stops delivery when it is closed', async () => {
    const { server, store, told } = await openStore([snapshot(0)])
    await store.close()
    expect(server.asked.at(-1)).toEqual(['conversation/unstream', { conversationId }])
    send(server, 1)
    await expect(store.refresh()).rejects.toThrow('no reply left')
    expect(told).toEqual([])
  })

  test('carries an event and an item of a kind it does not know', async () => {
    const { server, store, told } = await openStore([snapshot(0)])
    const item = { id: 'i-1', type: 'hologram', status: 'completed', title: 'A hologram', text: '', depth: 3 }
    server.event({ conversationId, seq: 1, at: 0, event: { type: 'mood.changed', mood: 'good' } })
    server.event({ conversationId, seq: 2, at: 0, event: { type: 'item.completed', item } })
    await folded(store, 2)
    expect(store.state.window.map((entry) => entry.item)).toEqual([item])
    expect(told).toEqual([1, 2])
  })
})

function openStoreEarly(reply: Promise<Reply>) {
  const server = fakeServer({ 'conversation/stream': () => reply })
  const connecting = connectClient({
    transport: server.transport,
    clientInfo: { name: 'test', version: '0' },
    canApprove: false,
  })
  return { server, store: connecting.then((client) => openConversationStore(client, conversationId)) }
}

describe('a gap', () => {
  test('is closed from the log: what was missing comes first, and then each event once', async () => {
    const { server, store, told } = await openStore([snapshot(2), found(2)])
    send(server, 3, 6, 7)
    expect(await server.next('conversation/stream')).toEqual({ conversationId })
    expect(await server.next('conversation/stream')).toEqual({ conversationId, after: cursorAt(3) })
    send(server, 4, 5, 6, 7, 8)
    await folded(store, 8)
    expect(store.state).toEqual(stateAt(8))
    expect(told).toEqual([3, 4, 5, 6, 7, 8])
    expect(streamed(server)).toHaveLength(2)
  })

  test('is closed by events in the answer as well', async () => {
    const { server, store, told } = await openStore([snapshot(2), found(6, [named(3), named(4), named(5), named(6)])])
    send(server, 6)
    await server.next('conversation/stream')
    send(server, 7)
    await folded(store, 7)
    expect(told).toEqual([3, 4, 5, 6, 7])
    expect(streamed(server)).toHaveLength(2)
  })

  test('that the log itself has is passed over: the server sends first what is next to our cursor', async () => {
    const { server, store, told } = await openStore([snapshot(2), found(2)])
    send(server, 6, 7)
    await server.next('conversation/stream')
    await server.next('conversation/stream')
    send(server, 6, 7, 8)
    await folded(store, 8)
    expect(told).toEqual([6, 7, 8])
    expect(streamed(server)).toHaveLength(2)
  })

  test('at a cursor that the log does not hold ends in the state of the server', async () => {
    const { server, store, told } = await openStore([snapshot(2), { ...snapshot(9), reset: true }])
    send(server, 6)
    await server.next('conversation/stream')
    await server.next('conversation/stream')
    send(server, 10)
    await folded(store, 10)
    expect(store.state).toEqual(stateAt(10))
    expect(told).toEqual([null, 10])
  })

  test('is tried again at the next event when the answer fails', async () => {
    const fail = () => Promise.reject(new RpcError(-32001, 'overloaded'))
    const { client, server, store, told } = await openStore([snapshot(2), fail, found(2)])
    send(server, 5)
    await server.next('conversation/stream')
    await server.next('conversation/stream')
    // A later answer: the one that failed has arrived by then.
    await client.request('conversation/unstream', { conversationId })
    send(server, 6)
    await server.next('conversation/stream')
    send(server, 3, 4, 5, 6)
    await folded(store, 6)
    expect(told).toEqual([3, 4, 5, 6])
  })
})
