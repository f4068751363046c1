import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectSocket, listenSocket, type Transport } from '@parley/rpc'
import { waitUntil } from '@parley/testkit'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { keepSocket } from '../src/kept-socket.ts'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'parley-kept-'))
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
})
afterEach(() => {
  vi.useRealTimers()
  rmSync(root, { recursive: true, force: true })
})

/** Listens in the first of the folders that is there, and keeps that. */
async function keep(...folders: readonly string[]) {
  const accepted: Transport[] = []
  const moved: string[] = []
  const said: string[] = []
  let isRefused = false
  const listen = async () => {
    if (isRefused) throw new Error('no place')
    const [folder = join(root, 'missing')] = folders.map((name) => join(root, name)).filter((path) => existsSync(path))
    return listenSocket({ path: join(folder, 'a.sock'), onConnection: (transport) => accepted.push(transport) })
  }
  for (const name of folders) mkdirSync(join(root, name))
  const kept = keepSocket(await listen(), {
    listen,
    onMoved: (address) => moved.push(address),
    report: (text) => said.push(text),
  })
  return {
    ...{ kept, accepted, moved, said },
    refuse(on: boolean) {
      isRefused = on
    },
    async looked(until: () => boolean) {
      vi.advanceTimersByTime(2_000)
      await waitUntil(until, { what: 'a look at the socket' })
    },
  }
}

describe('a socket whose file is removed', () => {
  it.each([
    ['the file', 'run/a.sock', 'run/a.sock'],
    ['its folder, in the next folder', 'run', 'spare/a.sock'],
  ])('listens anew after the loss of %s, says it once, and keeps its connections', async (_, removed, expected) => {
    const { kept, accepted, moved, said, looked } = await keep('run', 'spare')
    const before = await connectSocket(kept.address() ?? '')
    rmSync(join(root, removed), { recursive: true })
    await looked(() => moved.length === 1)
    expect(moved).toEqual([join(root, expected)])
    expect(kept.address()).toBe(join(root, expected))
    expect(said).toEqual([`the file of a socket was gone; this process listens at ${join(root, expected)} now`])
    const after = await connectSocket(join(root, expected))
    await waitUntil(() => accepted.length === 2, { what: 'both connections' })
    accepted[0]?.send('"still here"')
    expect((await before.incoming[Symbol.asyncIterator]().next()).value).toEqual({
      kind: 'message',
      value: 'still here',
    })
    await Promise.all([before.close(), after.close(), kept.close()])
  })

  it('tries again while it cannot, and says the reason once', async () => {
    const { kept, moved, said, refuse, looked } = await keep('run')
    rmSync(join(root, 'run/a.sock'))
    refuse(true)
    await looked(() => said.length === 1)
    expect(kept.address()).toBeNull()
    await looked(() => true)
    refuse(false)
    await looked(() => moved.length === 1)
    expect(said).toEqual([
      'the file of a socket is gone and could not be made again: no place',
      `the file of a socket was gone; this process listens at ${join(root, 'run/a.sock')} now`,
    ])
    await kept.close()
  })

  it('stays closed', async () => {
    const { kept, moved, said } = await keep('run')
    await kept.close()
    vi.advanceTimersByTime(10_000)
    expect([moved, said]).toEqual([[], []])
    await expect(connectSocket(join(root, 'run/a.sock'))).rejects.toThrow()
  })
})
