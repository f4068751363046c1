import { statSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { connectTestClient } from '@parley/engine/test/support/test-client.ts'
import { connectSocket } from '@parley/rpc'
import { connectWebSocket } from '@parley/rpc/websocket'
import { isAlive, startModelServer, waitUntil } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { type ProcessPlace, processPlace } from './support/spawned-server.ts'

/** A server in the background, ended with its place. */
async function launch(place: ProcessPlace, args: readonly string[] = []) {
  const launcher = place.spawn(undefined, {}, ['--daemon', ...args])
  const said = launcher.child.stdout === null ? '' : await text(launcher.child.stdout)
  const exit = await launcher.exited
  const [, pid, path] = /^parley server (\d+) listens on (\S+).* \(stop it: kill \1\)\n$/.exec(said) ?? []
  const daemon = { pid: Number(pid), path: path ?? '', said, exit, stderr: launcher.stderr() }
  const dispose = () => {
    if (daemon.pid > 0 && isAlive(daemon.pid)) process.kill(daemon.pid, 'SIGKILL')
  }
  return { ...daemon, [Symbol.dispose]: dispose }
}

describe('a server in the background', { timeout: 60_000 }, () => {
  it('is there when its launcher has ended, outlives its clients, and ends with SIGTERM', async () => {
    await using model = await startModelServer([{ text: 'word '.repeat(200), chunks: 200, delayMs: 3 }])
    await using place = processPlace(model.url)
    using daemon = await launch(place)
    expect(daemon).toMatchObject({ exit: { code: 0, signal: null }, stderr: '' })
    const client = await connectTestClient(await connectSocket(daemon.path))
    const { conversationId } = await client.request('conversation/create', { cwd: place.cwd })
    const watched = await client.watch(conversationId)
    await watched.send('go')
    await watched.until(({ core }) => Object.values(core.open).find(({ item }) => item.text !== ''))
    await client.peer.close()
    await waitUntil(() => place.logLines(conversationId).at(-1)?.includes('"outcome":"completed"'), {
      what: 'the end of the turn',
      timeoutMs: 30_000,
    })
    const again = await connectTestClient(await connectSocket(daemon.path))
    expect(await again.request('server/diagnostics', {})).toMatchObject({ pid: daemon.pid, addresses: [daemon.path] })
    process.kill(daemon.pid, 'SIGTERM')
    expect(await again.peer.closed).toMatchObject({ code: 'ended' })
    await waitUntil(() => !isAlive(daemon.pid), { what: 'its end', timeoutMs: 30_000 })
    await expect(connectSocket(daemon.path)).rejects.toMatchObject({ reason: 'unreachable' })
  })

  it('leaves by itself when nobody has come for a while', async () => {
    await using model = await startModelServer([])
    await using place = processPlace(model.url)
    using daemon = await launch(place, ['--idle-exit', '1s'])
    const client = await connectTestClient(await connectSocket(daemon.path))
    await client.peer.close()
    expect(await waitUntil(() => !isAlive(daemon.pid), { what: 'its end', timeoutMs: 30_000 })).toBe(true)
  })

  it('that cannot listen where it should says why and is not there', async () => {
    await using model = await startModelServer([])
    await using place = processPlace(model.url)
    place.write('notes.txt', 'mine')
    const path = join(place.cwd, 'notes.txt')
    using daemon = await launch(place, ['--listen', `unix:${path}`])
    expect(daemon).toMatchObject({ said: '', exit: { code: 1, signal: null } })
    expect(daemon.stderr).toBe(
      `parley server: cannot listen on ${path}: another process listens there, or it is no socket\n`,
    )
  })
})

describe('a server that is told where to listen', { timeout: 60_000 }, () => {
  it('stays without a client until a signal, lets in who has the token, and says where it is', async () => {
    await using model = await startModelServer([])
    await using place = processPlace(model.url)
    const path = join(place.root, 'own.sock')
    const args = ['--listen', 'ws://127.0.0.1:0', '--listen', `unix:${path}`]
    const server = place.spawn(undefined, {}, args)
    server.child.stdin?.end()
    await waitUntil(() => server.stderr().split('\n').length > 2, { what: 'both lines', timeoutMs: 30_000 })
    const tokenFile = join(place.root, '.parley', 'server-token')
    const url = /^parley server listens on (ws:\/\/127\.0\.0\.1:\d+) \(token in (.*)\)\n/.exec(server.stderr())
    expect(url?.[2]).toBe(tokenFile)
    expect(server.stderr()).toContain(`parley server listens on ${path}\n`)
    expect(statSync(tokenFile).mode & 0o777).toBe(0o600)
    const token = place.read('../.parley/server-token').trim()
    await expect(connectWebSocket({ url: url?.[1] ?? '' })).rejects.toMatchObject({ reason: 'refused' })
    const remote = await connectTestClient(await connectWebSocket({ url: url?.[1] ?? '', token }), 'remote')
    const local = await connectTestClient(await connectSocket(path), 'local')
    const { clients, addresses } = await local.request('server/diagnostics', {})
    expect(clients.map(({ name, transport }) => [name, transport])).toEqual([
      ['remote', 'websocket'],
      ['local', 'socket'],
    ])
    expect(addresses).toEqual([expect.stringContaining('/parley/'), url?.[1], path])
    await remote.peer.close()
    await local.peer.close()
    expect(server.exit()).toBeNull()
    server.child.kill('SIGINT')
    expect(await server.exited).toEqual({ code: 0, signal: null })
  })
})
