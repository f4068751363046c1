import { once } from 'node:events'
import { buffer, text } from 'node:stream/consumers'
import { createLoopbacks } from '@parley/engine/src/limits/loopbacks.ts'
import { describeEnvironment } from '@parley/exec-server/src/serve-exec.ts'
import { type ServedPort, servedPort } from '@parley/exec-server/test/support/served-port.ts'
import { standInSandboxes } from '@parley/exec-server/test/support/stand-in-sandboxes.ts'
import { RpcError } from '@parley/rpc'
import { EnvironmentUnreachableError } from '@parley/workspace'
import { type ExecConnection, type ExecInfo, type ExecLink, remoteSandboxes } from '@parley/workspace/testing'
import { describe, expect, it } from 'vitest'
import { brittleLink } from './support/brittle-link.ts'

/** An environment behind a link that can break, with a process in the loopback of conversation `c`. */
async function reached(server: ServedPort) {
  const brittle = brittleLink(null, undefined, standInSandboxes({ connect: () => server.dial() }))
  const sandbox = { type: 'read-only', sharedLoopback: 'c' }
  await brittle.link.ask('process/start', { processId: 'p', argv: ['true'], cwd: '/', env: {}, sandbox })
  const sandboxes = remoteSandboxes('box', brittle.link)
  return {
    brittle,
    connect: () => createLoopbacks(sandboxes, 'c').connect(8000),
    [Symbol.asyncDispose]: () => brittle[Symbol.asyncDispose](),
  }
}

/** Breaks the link, which comes back. */
async function broken({ link }: { readonly link: ExecLink }): Promise<void> {
  const connection = await link.connection()
  await connection.close()
}

const aRound = () => new Promise<void>((resolve) => setImmediate(resolve))

const bytesOf = (sizeBytes: number) => Buffer.alloc(sizeBytes, 'abcdefghijklmnopqrstuvwxyz0123456789-')

describe('a connection to a port in an environment', () => {
  it('gives all bytes in order both ways, and the end of each side', async () => {
    const received = Promise.withResolvers<Buffer>()
    using server = await servedPort((caller) => {
      buffer(caller).then((all) => {
        received.resolve(all)
        caller.end(bytesOf(2_000_003))
      }, received.reject)
    })
    await using there = await reached(server)
    const stream = await there.connect()
    stream.end(bytesOf(3_000_001))
    expect((await buffer(stream)).equals(bytesOf(2_000_003))).toBe(true)
    expect((await received.promise).equals(bytesOf(3_000_001))).toBe(true)
  })

  it('goes on without loss or repeat after a link that broke, once it is back', async () => {
    const received: Buffer[] = []
    using server = await servedPort((caller) => caller.on('data', (chunk) => received.push(chunk)))
    await using there = await reached(server)
    const stream = await there.connect()
    const [caller] = server.callers
    let heard = ''
    stream.setEncoding('utf8').on('data', (said: string) => {
      heard += said
    })
    let said = ''
    for (const word of ['one ', 'two ', 'three ', 'four ']) {
      said += word
      caller?.write(word)
      stream.write(word)
      // In the middle of whatever is on its way.
      await broken(there.brittle)
      await expect.poll(() => [heard, Buffer.concat(received).toString()]).toEqual([said, said])
    }
    caller?.end()
    stream.end()
    await once(stream, 'close')
    expect(stream.errored).toBeNull()
  })

  it('is broken for its reader when the process breaks it, or the session there has ended', async () => {
    using server = await servedPort()
    await using there = await reached(server)
    const [one, other] = [await there.connect(), await there.connect()]
    server.callers[0]?.resetAndDestroy()
    await expect(text(one)).rejects.toThrow('broken the connection')
    const reading = expect(text(other)).rejects.toThrow(RpcError)
    await there.brittle.endSessions()
    await broken(there.brittle)
    await reading
  })

  it('is closed there when it is left here', async () => {
    using server = await servedPort((caller) => caller.resume())
    await using there = await reached(server)
    const stream = await there.connect()
    stream.destroy()
    await expect.poll(() => server.callers[0]?.readableEnded).toBe(true)
  })

  it('asks for no more than its reader has taken', async () => {
    let asked = 0
    const chunk = bytesOf(100_000).toString('base64')
    const link = linkThatSays(sharing, async (method) => {
      await aRound()
      if (method === 'port/read') asked += 1
      return method === 'port/read' ? { chunk, ended: false } : {}
    })
    const stream = await createLoopbacks(remoteSandboxes('box', link), 'c').connect(8000)
    using _ = { [Symbol.dispose]: () => void stream.destroy() }
    for (const times of [1, 2, 3]) {
      await once(stream, 'readable')
      for (let round = 0; round < 50; round += 1) await aRound()
      expect(asked).toBe(times)
      stream.read()
    }
  })
})

const full = { enforcement: 'full', reason: 'It is full.' } as const

/** A link to an exec-server that says this of itself, and answers requests so. */
function linkThatSays(
  info: ExecInfo,
  answer: (method: string) => Promise<object>,
): Pick<ExecLink, 'connection' | 'ask'> {
  return { connection: async () => ({ info }) as ExecConnection, ask: answer as ExecLink['ask'] }
}

const sharing = describeEnvironment('1', { ...full, sharesLoopback: true }, true)

describe('a port in an environment is not reached', () => {
  const { ports: _, ...older } = sharing.capabilities
  const answers = (code: string) => () => Promise.reject(new RpcError(-32600, 'no', { code }))

  it.each([
    ['whose exec-server does not know of ports', { ...sharing, capabilities: older }, answers('x'), 'too old'],
    ['whose owner allows none', describeEnvironment('1', full, false), answers('x'), '--forward yes'],
    ['whose owner has forbidden it meanwhile', sharing, answers('portsNotAllowed'), '--forward yes'],
    ['whose commands share nothing', describeEnvironment('1', full, true), answers('x'), 'share no network'],
    ['with as many connections as may be', sharing, answers('tooManyConnections'), 'Too many connections'],
    [
      'that cannot be reached',
      sharing,
      () => Promise.reject(new EnvironmentUnreachableError('The environment box cannot be reached: gone.')),
      'cannot be reached: gone',
    ],
    ['where nobody listens', sharing, answers('portNotReachable'), 'Nothing listens on port 80'],
  ])('%s, which is said', async (_how, info, answer, sentence) => {
    const loopbacks = createLoopbacks(remoteSandboxes('box', linkThatSays(info, answer)), 'c')
    await expect(loopbacks.connect(80)).rejects.toMatchObject({
      data: { code: 'portNotReachable' },
      message: expect.stringContaining(sentence),
    })
  })
})
