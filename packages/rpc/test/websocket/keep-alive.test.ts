import { describe, expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import type { CloseReason } from '../../src/index.ts'
import { createKeepAlive, type KeepAliveSample } from '../../src/websocket/keep-alive.ts'
import { createWebSocketTransport } from '../../src/websocket/websocket-transport.ts'
import { websocketPair } from '../support/connected-pairs.ts'

const idle: KeepAliveSample = { readBytes: 10, unsentBytes: 0, reading: true }

describe('keep-alive', () => {
  it('gives up a silent remote end after the third beat without a reply', () => {
    const beat = createKeepAlive(3)
    expect([idle, idle, idle, idle].map(beat)).toEqual(['ask', 'ask', 'ask', 'gone'])
  })

  it('treats any byte read as a sign of life', () => {
    const beat = createKeepAlive(3)
    const answered = [1, 2, 3, 4, 5, 6].map((readBytes) => beat({ ...idle, readBytes }))
    expect(new Set(answered)).toEqual(new Set(['ask']))
  })

  it('does not count silence while nothing is read', () => {
    const beat = createKeepAlive(3)
    const answered = [1, 2, 3, 4, 5, 6].map(() => beat({ ...idle, reading: false }))
    expect(new Set(answered)).toEqual(new Set(['ask']))
  })

  it('gives up a remote end that takes no unsent bytes while nothing is read', () => {
    const stuck = { readBytes: 10, unsentBytes: 500, reading: false }
    expect([stuck, stuck, stuck, stuck].map(createKeepAlive(3))).toEqual(['ask', 'ask', 'ask', 'gone'])
    const taking = [500, 400, 300, 200, 100].map((unsentBytes) => ({ ...stuck, unsentBytes }))
    expect(new Set(taking.map(createKeepAlive(3)))).toEqual(new Set(['ask']))
  })
})

describe('a websocket transport', () => {
  it('reports whether its remote end replies to a ping', async () => {
    await using pair = await websocketPair()
    const { here, there } = pair
    const reader = there.incoming[Symbol.asyncIterator]()
    const pulled = reader.next()
    void here.incoming[Symbol.asyncIterator]().next()
    expect(await here.ping?.(5000)).toBe(true)
    here.send('1')
    await pulled // From here on, `there` is not pulled.
    expect(await here.ping?.(100)).toBe(false)
    await here.close()
    expect(await here.ping?.(5000)).toBe(false)
  })

  it('ends when its remote end stops replying to pings, not before', async () => {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
    const { promise: ended, resolve } = Promise.withResolvers<CloseReason>()
    server.on('connection', async (websocket, { socket }) => {
      const transport = createWebSocketTransport({ websocket, socket, beatMs: 20 })
      for await (const _ of transport.incoming);
      await transport.close()
      resolve(transport.closed)
    })
    await new Promise((listening) => server.once('listening', listening))
    // Replies to ten pings, then stops.
    const client = new WebSocket(`ws://127.0.0.1:${Object(server.address()).port}`, { autoPong: false })
    let pings = 0
    client.on('ping', () => {
      pings += 1
      if (pings <= 10) client.pong()
    })
    expect(await ended).toEqual({ code: 'ended', detail: 'no sign of life' })
    expect(pings).toBeGreaterThan(10)
    client.terminate()
    await new Promise((closed) => server.close(closed))
  })
})
