import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { loopbackCertificate } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { createPeer, type Transport } from '../../src/index.ts'
import { connectWebSocket, listenWebSocket, type WebSocketListener } from '../../src/websocket/websockets.ts'

const token = 'the token'

async function listen(
  onConnection?: (transport: Transport) => void,
  more: { readonly tls?: { readonly cert: string; readonly key: string } } = {},
): Promise<WebSocketListener> {
  const accept = onConnection ?? ((transport: Transport) => void transport.close())
  return listenWebSocket({ host: '127.0.0.1', port: 0, token, onConnection: accept, ...more })
}

function echoPeer(transport: Transport): void {
  createPeer({ transport, methods: { echo: (params: unknown) => params } })
}

/** Connects with the plain `ws` client. */
function foreignClient(url: string, options: object = {}) {
  const socket = new WebSocket(url, { headers: { Authorization: `Bearer ${token}` }, ...options })
  const outcome = new Promise<number>((resolve) => {
    socket.once('open', () => resolve(101))
    socket.once('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0))
    socket.on('error', () => {})
  })
  const next = () =>
    new Promise<unknown>((resolve) => socket.once('message', (data) => resolve(JSON.parse(String(data)))))
  const closed = new Promise<number>((resolve) => socket.once('close', resolve))
  return { socket, outcome, next, closed, [Symbol.dispose]: () => socket.terminate() }
}

describe('a listening websocket', () => {
  it('admits only clients that send the token', async () => {
    await using listener = await listen(echoPeer)
    const shown = [`Bearer ${token}`, 'Bearer the toke', 'Bearer the token2', 'Basic the token', '', 'Bearer ']
    const outcomes: number[] = []
    for (const Authorization of shown) {
      using client = foreignClient(listener.url, { headers: { Authorization } })
      outcomes.push(await client.outcome)
    }
    expect(outcomes).toEqual([101, 401, 401, 401, 401, 401])
  })

  it('serves a page to browsers at its own origins and at those that it is told, and to no others', async () => {
    const page = {
      origins: ['https://team.example'],
      headers: (origin: string) => ({ 'X-Origin': origin }),
      otherOrigins: () => [],
      respond: (path: string) => (path === '/' ? { headers: {}, body: Buffer.from('page') } : null),
      onConnection: async (transport: Transport) => echoPeer(transport),
    }
    await using listener = await listenWebSocket({ host: '127.0.0.1', port: 0, token, onConnection: echoPeer, page })
    const { origin, url } = listener
    const shown = await fetch(`${origin}/`)
    expect([await shown.text(), shown.headers.get('X-Origin')]).toEqual(['page', origin])
    expect((await fetch(`${origin}/healthz`)).status).toBe(200)
    const outcomes: unknown[] = []
    for (const [Host, Origin, path] of [
      [undefined, origin, '/socket'],
      ['team.example', 'https://team.example', '/socket'],
      [undefined, 'https://team.example', '/socket'],
      ['team.example', origin, '/socket'],
      ['evil.example', 'http://evil.example', '/socket'],
      [undefined, origin, '/'],
    ]) {
      const headers = { Authorization: `Bearer ${token}`, ...(Host === undefined ? {} : { Host }) }
      using client = foreignClient(`${url}${path}`, { headers, origin: Origin })
      outcomes.push(await client.outcome)
    }
    expect(outcomes).toEqual([101, 101, 403, 403, 421, 404])
    using native = foreignClient(url)
    expect(await native.outcome).toBe(101)
  })

  it('rejects browsers, even with the token', async () => {
    await using listener = await listen(echoPeer)
    using client = foreignClient(listener.url, { origin: 'http://localhost' })
    expect(await client.outcome).toBe(403)
    const page = await fetch(`http://${listener.address}/healthz`, { headers: { Origin: 'null' } })
    expect(page.status).toBe(403)
  })

  it('replies to probes and to no other plain request', async () => {
    await using listener = await listen(echoPeer)
    const status = async (path: string, init?: RequestInit) =>
      (await fetch(`http://${listener.address}${path}`, init)).status
    expect(await status('/healthz')).toBe(200)
    expect(await status('/readyz?now')).toBe(200)
    expect(await status('/healthz', { method: 'HEAD' })).toBe(200)
    expect(await status('/')).toBe(404)
    expect(await status('/healthz', { method: 'POST' })).toBe(404)
    using elsewhere = foreignClient(`${listener.url}/other`)
    expect(await elsewhere.outcome).toBe(404)
  })

  it('needs a token on an address that other machines can reach', async () => {
    const open = listenWebSocket({ host: '0.0.0.0', port: 0, token: null, onConnection: echoPeer })
    await expect(open).rejects.toThrow('0.0.0.0 can be reached from other machines, so it needs a token')
    await using local = await listenWebSocket({ host: '127.0.0.1', port: 0, token: null, onConnection: echoPeer })
    using client = foreignClient(local.url, { headers: {} })
    expect(await client.outcome).toBe(101)
  })

  it('replies to binary frames and bad UTF-8 with an error, and keeps reading', async () => {
    await using listener = await listen(echoPeer)
    using client = foreignClient(listener.url)
    await client.outcome
    client.socket.send(Buffer.from('{"jsonrpc":"2.0","id":1,"method":"echo"}'), { binary: true })
    expect(await client.next()).toMatchObject({ id: null, error: { code: -32700, data: { reason: 'binary' } } })
    client.socket.send(Buffer.from([0x22, 0xff, 0x22]), { binary: false })
    expect(await client.next()).toMatchObject({ id: null, error: { code: -32700, data: { reason: 'notUtf8' } } })
    client.socket.send('{"jsonrpc":"2.0",\n"id":2,"method":"echo","params":[1]}')
    expect(await client.next()).toEqual({ jsonrpc: '2.0', id: 2, result: [1] })
  })

  it('ends a connection whose frame is above the limit with code 1009', async () => {
    const { promise: reason, resolve } = Promise.withResolvers<unknown>()
    await using listener = await listen((transport) => {
      resolve(transport.closed)
      echoPeer(transport)
    })
    using client = foreignClient(listener.url)
    await client.outcome
    client.socket.send('x'.repeat(32 * 1024 * 1024 + 1))
    expect(await client.closed).toBe(1009)
    expect(await reason).toEqual({ code: 'broken', detail: 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH' })
  })

  it('uses no compression although the client offers it', async () => {
    await using listener = await listen(echoPeer)
    using client = foreignClient(listener.url, { perMessageDeflate: true })
    await client.outcome
    expect(client.socket.extensions).toBe('')
  })

  it('keeps open connections when it stops listening', async () => {
    const listener = await listen(echoPeer)
    await using peer = createPeer({ transport: await connectWebSocket({ url: listener.url, token }), methods: {} })
    await listener.close()
    expect(await peer.request('echo', 'still here')).toBe('still here')
    await expect(connectWebSocket({ url: listener.url, token })).rejects.toMatchObject({ reason: 'unreachable' })
  })
})

describe('a connecting websocket', () => {
  it('reports why it was rejected', async () => {
    await using listener = await listen(echoPeer)
    const wrong = connectWebSocket({ url: listener.url, token: 'wrong' })
    await expect(wrong).rejects.toMatchObject({ reason: 'refused', message: expect.stringContaining('another token') })
    const elsewhere = connectWebSocket({ url: `${listener.url}/other`, token })
    await expect(elsewhere).rejects.toMatchObject({ reason: 'notWebSocket' })
    await expect(connectWebSocket({ url: 'not an address' })).rejects.toMatchObject({ reason: 'unreachable' })
  })

  it('says what is wrong with TLS, and what helps', async () => {
    const { certFile, keyFile } = loopbackCertificate
    const tls = { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') }
    await using secure = await listen(echoPeer, { tls })
    await using plain = await listen(echoPeer)
    const failing = (url: string) =>
      connectWebSocket({ url, token, authorities: '--ca-file' }).catch((error: unknown) => error)
    expect(await failing(secure.url)).toMatchObject({
      reason: 'untrusted',
      message: expect.stringContaining('--ca-file'),
    })
    expect(await failing(secure.url.replace('wss:', 'ws:'))).toMatchObject({
      reason: 'untrusted',
      message: expect.stringMatching(/hung up .* begins with wss:/),
    })
    expect(await failing(plain.url.replace('ws:', 'wss:'))).toMatchObject({
      reason: 'untrusted',
      why: expect.stringContaining('does not speak TLS'),
      message: expect.stringMatching(/begins with ws:/),
    })
    await using peer = createPeer({
      transport: await connectWebSocket({ url: secure.url, token, ca: tls.cert }),
      methods: {},
    })
    expect(await peer.request('echo', 'hidden')).toBe('hidden')
  })

  it('says that what answers otherwise than by HTTP is no server of ours', async () => {
    const store = createServer((socket) => {
      socket.on('error', () => undefined).resume()
      socket.write('INFO {"server_id":"x"}\r\n')
    })
    await new Promise<void>((resolve) => store.listen(0, '127.0.0.1', resolve))
    const { port } = store.address() as AddressInfo
    await expect(connectWebSocket({ url: `ws://127.0.0.1:${port}`, token })).rejects.toMatchObject({
      reason: 'notWebSocket',
      message: expect.stringContaining('is no parley server'),
    })
    store.close()
  })

  it('can be aborted while the server does not respond', async () => {
    const { promise: asked, resolve } = Promise.withResolvers<void>()
    const silent = createServer((socket) => {
      socket.on('error', () => {})
      resolve()
    })
    await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening))
    const abandoned = new AbortController()
    const url = `ws://127.0.0.1:${Object(silent.address()).port}`
    const connecting = connectWebSocket({ url, signal: abandoned.signal })
    await asked
    abandoned.abort(new Error('changed my mind'))
    await expect(connecting).rejects.toThrow('changed my mind')
    await new Promise((closed) => silent.close(closed))
  })
})
