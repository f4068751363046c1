import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import type { Transport } from '../../src/index.ts'
import { listenForPage, type PageListener } from '../../src/websocket/websockets.ts'

function listen(onConnection: (transport: Transport, admit: () => void) => Promise<void> = async () => undefined) {
  return listenForPage({
    port: 0,
    headers: (origin) => ({ 'X-Origin': origin }),
    otherOrigins: () => ['https://b.example'],
    respond: (path) => (path === '/' ? { headers: {}, body: Buffer.from('page') } : null),
    onConnection,
  })
}

async function get(listener: PageListener, { path = '/', method = 'GET', headers = {} } = {}) {
  const sent = request(`${listener.origin}${path}`, { method, headers }).end()
  const [response]: IncomingMessage[] = await once(sent, 'response')
  if (response === undefined) throw new Error('no response')
  let body = ''
  for await (const chunk of response) body += chunk
  return { status: response.statusCode, body, origin: response.headers['x-origin'] }
}

async function open(listener: PageListener, { path = '/socket', headers = {} } = {}) {
  const websocket = new WebSocket(`${listener.origin.replace('http:', 'ws:')}${path}`, { headers })
  const opened = Promise.withResolvers<number>()
  websocket.on('open', () => opened.resolve(101))
  websocket.on('unexpected-response', (_request, response) => opened.resolve(response.statusCode ?? 0))
  websocket.on('error', () => opened.resolve(0))
  const status = await opened.promise
  return { status, websocket }
}

describe('the listener of a page', () => {
  it('answers with a file and the headers, on loopback', async () => {
    await using listener = await listen()
    expect(listener.origin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(await get(listener)).toEqual({ status: 200, body: 'page', origin: listener.origin })
    expect(await get(listener, { method: 'HEAD' })).toMatchObject({ status: 200, body: '' })
    expect(await get(listener, { path: '/other' })).toMatchObject({ status: 404, origin: listener.origin })
    expect(await get(listener, { method: 'POST' })).toMatchObject({ status: 405 })
  })

  it('rejects every Host but its own, so that no other name leads here', async () => {
    await using listener = await listen()
    const { port } = new URL(listener.origin)
    for (const host of [`evil.example:${port}`, `localhost:${port}`, '127.0.0.1', `127.0.0.1.evil.example:${port}`]) {
      const headers = { Host: host }
      expect(await get(listener, { headers }), host).toMatchObject({ status: 421 })
      const forged = { ...headers, Origin: listener.origin }
      expect((await open(listener, { headers: forged })).status, host).toBe(421)
    }
  })

  it('rejects every Origin but its own, and for a websocket those of other servers', async () => {
    await using listener = await listen()
    const others = ['https://evil.example', 'null', 'http://127.0.0.1', listener.origin.replace('http:', 'https:')]
    for (const origin of others) {
      expect(await get(listener, { headers: { Origin: origin } }), origin).toMatchObject({ status: 403 })
      expect((await open(listener, { headers: { Origin: origin } })).status, origin).toBe(403)
    }
    expect((await open(listener)).status).toBe(403)
    const team = { Origin: 'https://b.example' }
    expect(await get(listener, { headers: team })).toMatchObject({ status: 403 })
    const { status: fromTeam, websocket: ofTeam } = await open(listener, { headers: team })
    expect(fromTeam).toBe(101)
    ofTeam.terminate()
    const own = { Origin: listener.origin }
    expect(await get(listener, { headers: own })).toMatchObject({ status: 200 })
    expect((await open(listener, { path: '/', headers: own })).status).toBe(404)
    const { status, websocket } = await open(listener, { headers: own })
    expect(status).toBe(101)
    websocket.terminate()
  })

  it('ends a connection that sends much before it has proven who it is, and no other', async () => {
    const admits: (() => void)[] = []
    await using listener = await listen(async (transport, admit) => {
      admits.push(admit)
      for await (const _ of transport.incoming);
    })
    const headers = { Origin: listener.origin }
    const { websocket: unproven } = await open(listener, { headers })
    const closed = once(unproven, 'close')
    unproven.send('x'.repeat(100_000))
    expect(await closed).toMatchObject([1006, expect.anything()])
    const { websocket: proven } = await open(listener, { headers })
    admits[1]?.()
    proven.send(JSON.stringify('x'.repeat(1_000_000)))
    proven.ping()
    await once(proven, 'pong')
    expect(proven.readyState).toBe(WebSocket.OPEN)
    // The length of a frame is announced before its bytes: one of 100 MB is never read.
    const tooLong = once(proven, 'close')
    proven.send(Buffer.alloc(100 * 1024 * 1024, 0x20), { binary: false })
    expect(await tooLong).toMatchObject([1009, expect.anything()])
  })
})
