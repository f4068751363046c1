import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { freePorts, loopbackCertificate, waitUntil } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { createPeer, type Peer, relayAddress, type Transport } from '../../src/index.ts'
import { addressOf, createWebSocketServer, listening } from '../../src/websocket/http-listener.ts'
import { createRelays, type Relays } from '../../src/websocket/relays.ts'
import {
  connectWebSocket,
  listenWebSocket,
  type PageSource,
  type RelayTargetOf,
  type WebSocketListener,
} from '../../src/websocket/websockets.ts'

const token = 'the token'

function listen(
  onConnection: (transport: Transport) => void,
  more: Partial<Parameters<typeof listenWebSocket>[0]> = {},
) {
  return listenWebSocket({ host: '127.0.0.1', port: 0, token, onConnection, ...more })
}

function echoPeer(transport: Transport): void {
  createPeer({ transport, methods: { echo: (params: unknown) => params } })
}

/** Server that passes on to the others by their addresses. */
function listenBefore(others: readonly string[], ca?: string): Promise<WebSocketListener> {
  const relayTo: RelayTargetOf = async (to) =>
    others.includes(to) ? { url: to, ...(ca === undefined ? {} : { ca }) } : null
  return listen((transport) => void transport.close(), { relayTo })
}

const reach = (through: WebSocketListener, to: string, given = token) =>
  connectWebSocket({ url: relayAddress(through.url, to), token: given })

describe('a server that passes websockets on', () => {
  it('joins a client with another server, whose TLS it knows, until one of them leaves', async () => {
    const left = Promise.withResolvers<unknown>()
    const cert = readFileSync(loopbackCertificate.certFile, 'utf8')
    const tls = { cert, key: readFileSync(loopbackCertificate.keyFile, 'utf8') }
    await using far = await listen(
      (transport) => {
        echoPeer(transport)
        void transport.closed.then(left.resolve)
      },
      { tls },
    )
    await using near = await listenBefore([far.url], cert)
    const peer = createPeer({ transport: await reach(near, far.url), methods: {} })
    const large = 'x'.repeat(4 * 1024 * 1024)
    expect(await Promise.all([peer.request('echo', ['a']), peer.request('echo', [large])])).toEqual([['a'], [large]])
    await peer.close()
    await left.promise
  })

  it('asks the other server about the token, after it has judged it itself', async () => {
    await using far = await listen(echoPeer, { token: 'another token' })
    await using near = await listenBefore([far.url])
    await expect(reach(near, far.url, 'wrong')).rejects.toMatchObject({ reason: 'refused' })
    await expect(reach(near, far.url)).rejects.toMatchObject({ reason: 'refused' })
  })

  it('passes nothing on to an address that is none of its servers', async () => {
    await using far = await listen(echoPeer)
    await using near = await listenBefore([])
    await using alone = await listen(echoPeer)
    await expect(reach(near, far.url)).rejects.toThrow('HTTP status 404')
    await expect(reach(alone, far.url)).rejects.toThrow('HTTP status 404')
  })

  it('says with 502 that the other server does not answer', async () => {
    const [port = 0] = await freePorts(1)
    const gone = `ws://127.0.0.1:${port}`
    await using near = await listenBefore([gone])
    await expect(reach(near, gone)).rejects.toThrow('HTTP status 502')
    // One that hangs up in the middle of the handshake.
    const rude = createServer((socket) => socket.once('data', () => socket.destroy())).listen(port, '127.0.0.1')
    await expect(reach(near, gone)).rejects.toThrow('HTTP status 502')
    rude.close()
  })

  it('ends what it passes on when it listens no more, and when the other server is lost', async () => {
    const accepted: Peer[] = []
    await using far = await listen((transport) => void accepted.push(createPeer({ transport, methods: {} })))
    const near = await listenBefore([far.url])
    const join = async () => createPeer({ transport: await reach(near, far.url), methods: {} })
    const [one, other] = [await join(), await join()]
    await accepted[0]?.close()
    await one.closed
    await near.close()
    await expect(Promise.all([other.closed, accepted[1]?.closed])).resolves.toHaveLength(2)
  })

  it('survives a client that leaves in the middle of the handshake', async () => {
    await using far = await listen(echoPeer)
    await using near = await listenBefore([far.url])
    const { hostname, port, pathname, search } = new URL(relayAddress(near.url, far.url))
    const rude = connect(Number(port), hostname)
    rude.write(
      `GET ${pathname}${search} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nAuthorization: Bearer ${token}\r\n\r\n`,
      () => rude.destroy(),
    )
    const peer = createPeer({ transport: await reach(near, far.url), methods: {} })
    expect(await peer.request('echo', ['still there'])).toEqual(['still there'])
    await peer.close()
  })

  it('passes its own pages on to the pages of other servers, which see where they come from', async () => {
    const pageOf = (others: readonly string[]): PageSource & { readonly origins: readonly string[] } => ({
      origins: [],
      headers: () => ({}),
      otherOrigins: () => others,
      respond: () => null,
      onConnection: async (transport, admit) => {
        admit()
        echoPeer(transport)
      },
    })
    const known: string[] = []
    await using far = await listen(echoPeer, { page: pageOf(known) })
    const to = `${far.url}/socket`
    const relayTo: RelayTargetOf = async (name) => (name === to ? { url: to } : null)
    await using near = await listen(echoPeer, { relayTo, page: pageOf(['https://other.example']) })
    const open = (origin: string) =>
      new Promise<number>((resolve) => {
        const socket = new WebSocket(relayAddress(near.url, to), { origin })
        socket.on('error', () => undefined)
        socket.once('unexpected-response', (_request, { statusCode = 0 }) => resolve(statusCode))
        socket.once('open', () => {
          socket.close()
          resolve(101)
        })
      })
    expect(await open(near.origin)).toBe(403)
    known.push(near.origin)
    expect(await open(near.origin)).toBe(101)
    // A page from elsewhere is let in here, and goes on by itself.
    expect(await open('https://other.example')).toBe(404)
    expect(await open('https://strange.example')).toBe(403)
  })
})

describe('a websocket that is passed on', () => {
  it('is let go of when its client leaves, though the other server was stopped', async () => {
    await using far = await listenRaw((socket) => void socket.pause())
    await using near = await listenRelay(async () => ({ url: far.url }), { graceMs: 10 })
    const client = await near.open()
    client.destroy()
    await noneIsOpen(near.server)
  })

  it('is let go of when the other server was reset while its client reads nothing', async () => {
    await using far = await listenRaw((socket) => {
      const flood = () => {
        while (socket.write(Buffer.alloc(64 * 1024)));
      }
      socket.on('drain', flood)
      flood()
    })
    await using near = await listenRelay(async () => ({ url: far.url }), { silentMs: 200, graceMs: 10 })
    const client = await near.open()
    client.pause()
    const sent = () => far.sockets[0]?.bytesWritten ?? 0
    // What the buffers of the system take, and no more.
    let before = -1
    await waitUntil(
      () => {
        const stands = sent() > 0 && sent() === before
        before = sent()
        return stands
      },
      { what: 'the flood to stand still' },
    )
    far.sockets[0]?.resetAndDestroy()
    await noneIsOpen(near.server)
    client.destroy()
  })

  it('gives its client all that the other server wrote before it ended', async () => {
    const length = 16 * 1024 * 1024
    await using far = await listenRaw((socket) => void socket.end(Buffer.alloc(length)))
    await using near = await listenRelay(async () => ({ url: far.url }), { graceMs: 10_000 })
    const client = await near.open()
    let received = 0
    client.on('data', ({ length: more }: Buffer) => {
      received += more
      client.pause()
      setImmediate(() => client.resume())
    })
    await new Promise((resolve) => client.once('end', resolve))
    expect(received).toBe(length)
  })

  it('is not begun after the end of those that pass on', async () => {
    const looked = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    await using far = await listenRaw(() => undefined)
    await using near = await listenRelay(async () => {
      asked.resolve()
      await looked.promise
      return { url: far.url }
    })
    const opening = near.open()
    await asked.promise
    near.relays.close()
    looked.resolve()
    await expect(opening).rejects.toThrow('ended')
    expect(far.sockets).toEqual([])
  })
})

it('ends the connection of a request for an upgrade that it rejects, though the client does not', async () => {
  const server = createWebSocketServer(() => 401)
  await listening(server, '127.0.0.1', 0)
  const client = connect({ port: portOf(addressOf(server)), host: '127.0.0.1', allowHalfOpen: true })
  client.on('error', () => undefined)
  client.write(handshake('/'))
  await new Promise((resolve) => client.once('data', resolve))
  await noneIsOpen(server)
  client.destroy()
  server.close()
})

const portOf = (address: string) => Number(address.split(':').at(-1))

const handshake = (path: string) =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AA==\r\n\r\n`

async function noneIsOpen(server: Server): Promise<void> {
  let open = -1
  await waitUntil(
    () => {
      server.getConnections((_error, count) => {
        open = count
      })
      return open === 0
    },
    { what: 'the end of all connections' },
  )
  expect(open).toBe(0)
}

/** Server that answers each handshake and then does as the test says; half open sockets stay open. */
async function listenRaw(then: (socket: Socket) => void) {
  const sockets: Socket[] = []
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.once('data', () => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n')
      then(socket)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const bound = server.address()
  return {
    url: `ws://127.0.0.1:${bound !== null && typeof bound === 'object' ? bound.port : 0}`,
    sockets,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/** Server that passes on whatever comes. `open` resolves to a client's socket after the handshake. */
async function listenRelay(relayTo: RelayTargetOf, limits: Parameters<typeof createRelays>[1] = {}) {
  const relays: Relays = createRelays(relayTo, limits)
  const server = createWebSocketServer(() => relays.ownerOf(new URLSearchParams()))
  await listening(server, '127.0.0.1', 0)
  const open = () =>
    new Promise<Socket>((resolve, reject) => {
      const client = connect(portOf(addressOf(server)), '127.0.0.1')
      client.on('error', () => undefined)
      client.once('close', () => reject(new Error('the connection has ended')))
      let head = ''
      const read = () => {
        // Byte by byte, so that nothing behind the head is taken.
        for (let byte = client.read(1); byte !== null; byte = client.read(1)) {
          head += String(byte)
          if (!head.endsWith('\r\n\r\n')) continue
          client.off('readable', read)
          return resolve(client)
        }
      }
      client.on('readable', read)
      client.write(handshake('/relay'))
    })
  return {
    server,
    relays,
    open,
    async [Symbol.asyncDispose]() {
      relays.close()
      server.close()
    },
  }
}
