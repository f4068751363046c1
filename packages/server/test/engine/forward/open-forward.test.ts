import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { openForward } from '@parley/engine/src/forward/forwards.ts'
import { describe, expect, it } from 'vitest'

const portOf = (server: Server) => {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** A server of its own in place of one in the sandbox. */
async function served(onConnection: (socket: Socket) => void) {
  const server = createServer({ allowHalfOpen: true }, (socket) =>
    onConnection(socket.on('error', () => socket.destroy())),
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const dial = async () => {
    const socket = connect({ port: portOf(server), host: '127.0.0.1', allowHalfOpen: true })
    await once(socket, 'connect')
    return socket
  }
  return { dial, [Symbol.dispose]: () => void server.close() }
}

const echo = (socket: Socket) => {
  socket.once('data', (head) =>
    socket.end(`HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nseen: ${String(head).split('\r\n', 1)}`),
  )
}

/** Asks as a browser does that resolves the name to loopback. */
async function ask(
  url: string,
  host = new URL(url).host,
  address = '127.0.0.1',
): Promise<{ status: number; body: string }> {
  const { port } = new URL(url)
  const [answer]: IncomingMessage[] = await once(
    get({ host: address, port, path: '/page', headers: { host } }),
    'response',
  )
  if (answer === undefined) throw new Error('no answer')
  return { status: answer.statusCode ?? 0, body: await text(answer) }
}

describe('a forwarded port', () => {
  it('is reached at its own name only, on both loopback addresses', async () => {
    using server = await served(echo)
    const forward = await openForward(8000, server.dial)
    const { host, port } = new URL(forward.url)
    expect(host).toMatch(/^p8000-[0-9a-f]{16}\.localhost:\d+$/)
    expect(await ask(forward.url)).toEqual({ status: 200, body: 'seen: GET /page HTTP/1.1' })
    expect(await ask(forward.url, host, '::1')).toMatchObject({ status: 200 })
    for (const other of [`localhost:${port}`, `127.0.0.1:${port}`, `evil.example:${port}`]) {
      const { status, body } = await ask(forward.url, other)
      expect(status).toBe(421)
      expect(body).not.toContain('p8000-')
    }
    const again = await openForward(8000, server.dial)
    expect(again.url).not.toBe(forward.url)
    again.close()
    forward.close()
    await expect(ask(forward.url)).rejects.toThrow('ECONNREFUSED')
  })

  it('says that nothing listens where the server has ended meanwhile', async () => {
    const forward = await openForward(8000, () => Promise.reject(new Error('gone')))
    expect(await ask(forward.url)).toMatchObject({ status: 502 })
    forward.close()
  })

  it('gives all bytes in order both ways, and the end of each side', async () => {
    const received: Buffer[] = []
    using server = await served((socket) => {
      socket.on('data', (chunk) => received.push(chunk)).once('end', () => socket.end(Buffer.alloc(2_000_000, 'b')))
    })
    const forward = await openForward(8000, server.dial)
    const { host, port } = new URL(forward.url)
    const caller = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true })
    const head = `POST / HTTP/1.1\r\nHost: ${host}\r\n\r\n`
    caller.write(head.slice(0, 20))
    caller.end(`${head.slice(20)}${'a'.repeat(3_000_000)}`)
    expect((await text(caller)).length).toBe(2_000_000)
    expect(Buffer.concat(received).toString()).toBe(`${head}${'a'.repeat(3_000_000)}`)
    forward.close()
  })

  it('is not read faster than it is taken', async () => {
    let written = 0
    using server = await served((socket) => {
      const chunk = Buffer.alloc(1_000_000)
      const fill = () => {
        while (written < 400 && socket.write(chunk)) written += 1
        socket.once('drain', fill)
      }
      fill()
    })
    const forward = await openForward(8000, server.dial)
    const { host, port } = new URL(forward.url)
    const caller = connect(Number(port), '127.0.0.1').pause()
    caller.write(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
    // Nothing more is written once every buffer on the way is full.
    await expect.poll(() => written).toBeGreaterThan(0)
    for (let same = 0; same < 3; ) {
      const before = written
      await ask(forward.url, 'other')
      same = before === written ? same + 1 : 0
    }
    expect(written).toBeLessThan(400)
    caller.destroy()
    forward.close()
  })

  it('ends with its open connections', async () => {
    using server = await served(() => undefined)
    const forward = await openForward(8000, server.dial)
    const { host, port } = new URL(forward.url)
    const caller = connect(Number(port), '127.0.0.1').on('error', () => undefined)
    caller.write(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
    await once(caller, 'connect')
    forward.close()
    await new Promise((resolve) => caller.once('close', resolve))
    expect(caller.destroyed).toBe(true)
  })
})
