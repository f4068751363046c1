import { readFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { freePorts, loopbackCertificate } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { createPeer, type Peer, relayAddress, type Transport } from '../../src/index.ts'
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
