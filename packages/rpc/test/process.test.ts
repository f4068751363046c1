import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect as connectSocket, createServer, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { bundledProgram } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { ConnectionClosedError, createPeer, createStreamTransport } from '../src/index.ts'

const program = bundledProgram(fileURLToPath(new URL('./fixtures/echo-process.ts', import.meta.url)))

function start() {
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] })
  const exited = once(child, 'exit').then(([code]) => code)
  const dispose = async () => {
    child.kill('SIGKILL')
    await exited
  }
  return { child, exited, [Symbol.asyncDispose]: dispose }
}

function startPeer() {
  const started = start()
  const transport = createStreamTransport({ input: started.child.stdout, output: started.child.stdin })
  return { ...started, peer: createPeer({ transport, methods: {} }) }
}

describe('two processes', () => {
  it('talk until one closes, and the other exits', async () => {
    await using remote = startPeer()
    expect(await remote.peer.request('echo', { text: 'é\u2028😀\n' })).toEqual({ text: 'é\u2028😀\n' })
    await remote.peer.close()
    expect(await remote.exited).toBe(10)
  })

  it('exchange messages of megabytes', async () => {
    await using remote = startPeer()
    const text = 'é'.repeat(5 * 1024 * 1024)
    expect(await remote.peer.request('echo', text)).toBe(text)
    await remote.peer.close()
  })

  it('deliver the last reply when the remote process exits', async () => {
    await using remote = startPeer()
    expect(await remote.peer.request('exitAfterReply')).toBe('last words')
    expect((await remote.peer.closed).code).toBe('ended')
    expect(await remote.exited).toBe(11)
  })

  it('reject pending requests when the remote process is killed', async () => {
    await using remote = startPeer()
    const hanging = remote.peer.request('hang')
    await remote.peer.request('echo')
    remote.child.kill('SIGKILL')
    await expect(hanging).rejects.toBeInstanceOf(ConnectionClosedError)
    expect((await remote.peer.closed).code).toBe('ended')
  })

  it('survive writing to a process that no longer exists', async () => {
    await using remote = startPeer()
    remote.child.kill('SIGKILL')
    await remote.exited
    await expect(remote.peer.request('echo')).rejects.toBeInstanceOf(ConnectionClosedError)
  })
})

describe('a process', () => {
  it('treats a closed standard output as a disconnect and exits', async () => {
    await using remote = start()
    remote.child.stdout.destroy()
    remote.child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"flood"}\n')
    expect(await remote.exited).toBe(10)
  })

  it('replies to requests piped in before the end of its input', async () => {
    await using remote = start()
    const ask = (id: number, method: string) => `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${id}}\n`
    remote.child.stdin.end(ask(1, 'echo') + ask(2, 'later') + ask(3, 'nope'))
    const output = (await remote.child.stdout.setEncoding('utf8').toArray()).join('')
    const answers = output
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(answers).toMatchObject([
      { id: 1, result: 1 },
      { id: 3, error: { code: -32601 } },
      { id: 2, result: 2 },
    ])
    expect(await remote.exited).toBe(10)
  })
})

describe('a socket', () => {
  it('carries replies after the remote end has ended its half', async () => {
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      const methods = { later: (params: unknown) => new Promise((resolve) => setImmediate(resolve, params)) }
      createPeer({ transport: createStreamTransport({ input: socket, output: socket }), methods })
    })
    await using listening = {
      server,
      [Symbol.asyncDispose]: () => new Promise<void>((done) => server.close(() => done())),
    }
    await once(listening.server.listen(0, '127.0.0.1'), 'listening')
    const address = listening.server.address()
    const socket: Socket = connectSocket(Object(address).port, '127.0.0.1')
    socket.end('{"jsonrpc":"2.0","id":1,"method":"later","params":"x"}\n')
    const output = (await socket.setEncoding('utf8').toArray()).join('')
    expect(JSON.parse(output)).toEqual({ jsonrpc: '2.0', id: 1, result: 'x' })
  })
})
