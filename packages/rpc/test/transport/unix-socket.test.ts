import { link, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ConnectError, connectSocket, ListenError, listenSocket } from '../../src/index.ts'

async function tempFolder() {
  const path = await mkdtemp(join(tmpdir(), 'parley-rpc-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

const closeAtOnce = (transport: AsyncDisposable) => void transport[Symbol.asyncDispose]()

describe('a listening socket', () => {
  it('is a file that only its user can open, gone when it closes', async () => {
    await using folder = await tempFolder()
    const path = join(folder.path, 's')
    const listener = await listenSocket({ path, onConnection: closeAtOnce })
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(listener.address).toBe(path)
    await listener.close()
    await listener.close()
    await expect(stat(path)).rejects.toThrow('ENOENT')
  })

  it('replaces the file of a listener that has exited, never that of a running one', async () => {
    await using folder = await tempFolder()
    const path = join(folder.path, 's')
    await leaveStaleSocket(path)
    await using first = await listenSocket({ path, onConnection: closeAtOnce })
    await expect(listenSocket({ path, onConnection: closeAtOnce })).rejects.toThrow('another process listens there')
    const reached = await connectSocket(first.address)
    await reached.close()
  })

  it('does not replace a file that is not a socket', async () => {
    await using folder = await tempFolder()
    const path = join(folder.path, 'notes.txt')
    await writeFile(path, 'mine')
    await expect(listenSocket({ path, onConnection: closeAtOnce })).rejects.toThrow(ListenError)
    expect((await stat(path)).size).toBe(4)
  })

  it('rejects a path that the system would cut', async () => {
    const path = `/tmp/${'x'.repeat(120)}`
    await expect(listenSocket({ path, onConnection: closeAtOnce })).rejects.toThrow('the path of a socket may have')
  })

  it('names the address that it cannot reach', async () => {
    const failure = await connectSocket('/tmp/parley-nobody-here').catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ConnectError)
    expect(failure).toMatchObject({
      reason: 'unreachable',
      message: 'cannot connect to /tmp/parley-nobody-here (ENOENT)',
    })
  })
})

/** Creates the file that a killed process leaves: a socket without a listener. */
async function leaveStaleSocket(path: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const server = createServer().listen(`${path}.dying`, resolve)
  await promise
  await link(`${path}.dying`, path)
  await new Promise((closed) => server.close(closed))
}
