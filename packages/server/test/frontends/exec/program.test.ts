import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { connectWebSocket } from '@parley/rpc/websocket'
import { tempDirectory, waitUntil } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { type SpawnedExecServer, spawnExecServer } from './support/spawned.ts'

const tree = ['sh', '-c', '(setsid sh -c "sleep 60 & exec sleep 60" &) ; sleep 60']

async function startTree(server: SpawnedExecServer, client = server.client): Promise<void> {
  await client.start('tree', tree)
  await waitUntil(() => server.descendants().length >= 4, { what: 'the tree' })
}

describe('an exec-server on stdio', { timeout: 60_000 }, () => {
  it('ends with all process trees when its client has gone', async () => {
    await using server = await spawnExecServer()
    await server.client.greet()
    await startTree(server)
    server.child.stdin?.end('{"jsonrpc":"2.0","id":9,"method":"process/st') // torn as well
    expect(await server.exitCode()).toBe(0)
    expect(server.descendants()).toEqual([])
    expect(server.stderr()).toBe('')
  })

  it('ends with all process trees on a signal', async () => {
    await using server = await spawnExecServer('--listen', 'stdio')
    await server.client.greet()
    await startTree(server)
    server.child.kill('SIGTERM')
    expect(await server.exitCode()).toBe(0)
    expect(server.descendants()).toEqual([])
  })

  it('ends when its client breaks the protocol', async () => {
    await using server = await spawnExecServer()
    await server.client.greet()
    await startTree(server)
    server.client.notify('no/such')
    expect(await server.exitCode()).toBe(1)
    expect(server.stderr()).toBe(
      'parley exec-server: The connection was closed, because the client broke the protocol: it sent the notification "no/such"; the only one is "initialized".\n',
    )
    expect(server.descendants()).toEqual([])
  })

  it('killed with SIGKILL leaves no process', async () => {
    await using server = await spawnExecServer()
    await server.client.greet()
    await startTree(server)
    await server.client.start('t', ['sleep', '60'], { tty: true })
    server.child.kill('SIGKILL')
    expect(await server.noDescendants()).toBe(true)
  })

  it('answers each of 3,000 requests that come at once', async () => {
    await using server = await spawnExecServer()
    await server.client.greet()
    const before = server.client.messages.length
    const env = { PATH: process.env['PATH'], ...server.env }
    for (let id = 0; id < 3000; id++) {
      const request =
        id % 100 === 0
          ? { method: 'process/start', params: { processId: `p${id}`, argv: ['true'], cwd: '/', env } }
          : { method: id % 2 === 0 ? 'process/read' : 'fs/getMetadata', params: { processId: 'none', path: '/' } }
      server.client.sendLine(JSON.stringify({ jsonrpc: '2.0', id: `r${id}`, ...request }))
    }
    const answered = () =>
      new Set(server.client.messages.slice(before).flatMap(({ id }) => (id === undefined ? [] : [id])))
    await waitUntil(() => answered().size === 3000, { what: 'all answers', timeoutMs: 30_000 })
    await server.client.ask('environment/info')
    const answers = server.client.messages.slice(before).filter(({ id }) => typeof id === 'string')
    expect(answers).toHaveLength(3000)
    const kinds = new Set(answers.map(({ error }) => error?.code ?? 'ok'))
    expect([...kinds].filter((kind) => !['ok', -32600, -32001].includes(kind))).toEqual([])
  })

  it('passes no inherited descriptor to its processes', async () => {
    await using server = await spawnExecServer()
    await server.client.greet()
    await server.client.start('t', ['sleep', '60'], { tty: true })
    const list = ['sh', '-c', 'cd /proc/$$/fd; for f in *; do [ "$f" -lt 3 ] || readlink "$f"; done']
    const beyond = async (processId: string, tty: boolean) => {
      await server.client.run(processId, list, { tty })
      return server.client.text(processId).trim().split(/\s+/)
    }
    // The terminal that is open, on both of its sides, is covered by /dev/null.
    expect(new Set(await beyond('list', false))).toEqual(new Set(['/dev/null']))
    expect(new Set(await beyond('tty', true))).toEqual(new Set(['/dev/null']))
  })

  it.each([
    ['--nonsense', '--nonsense'],
    ['--non\u202esense\u009b', '--non<U+202E>sense\\x9b'],
  ])('reports unknown flags in one sentence, in which nothing is hidden: %j', async (flag, shown) => {
    await using server = await spawnExecServer(flag)
    expect(await server.exitCode()).toBe(2)
    expect(server.stderr()).toBe(
      `parley exec-server: Unknown option '${shown}'. parley help exec-server lists what there is.\n`,
    )
  })
})

describe.skipIf(process.platform !== 'linux')('a client that stops reading', { timeout: 60_000 }, () => {
  it.each([
    ['a pipe', false, 120],
    ['a terminal', true, 80],
  ])('has the process wait in its write to %s, costs no memory, and gets every byte', async (_, tty, rounds) => {
    await using server = await spawnExecServer()
    await using folder = await tempDirectory()
    const { client } = server
    await client.greet()
    await client.run('warm', ['head', '-c', '3000000', '/dev/zero'])
    const residentMiB = () => Number(readFileSync(`/proc/${server.child.pid}/statm`, 'utf8').split(' ')[1]) / 256
    const beforeMiB = residentMiB()
    client.stopReading()
    const script = `i=0; while [ $i -lt ${rounds} ]; do head -c 100000 /dev/zero; i=$((i+1)); echo >> count; done`
    const params = {
      processId: 'a',
      argv: ['sh', '-c', script],
      cwd: folder.path,
      env: { PATH: process.env['PATH'] },
      tty,
    }
    client.sendLine(JSON.stringify({ jsonrpc: '2.0', id: 'start', method: 'process/start', params }))
    const written = () => statSync(join(folder.path, 'count')).size
    // The count stands while the process waits in its write, for which there is no event.
    const stands = async () => {
      const before = written()
      await delay(300)
      return before === written()
    }
    await waitUntil(stands, { what: 'the process to wait', timeoutMs: 30_000 })
    expect(written()).toBeLessThan(60)
    expect(residentMiB() - beforeMiB).toBeLessThan(30)
    client.readOn()
    await client.untilTold('a', 'process/closed')
    expect(client.text('a').length).toBe(rounds * 100_000)
  })
})

describe('an exec-server on a websocket', { timeout: 60_000 }, () => {
  it('accepts clients with the token, each with its own session', async () => {
    await using server = await spawnExecServer('--listen', 'ws://127.0.0.1:0')
    await using first = await server.dial()
    await using second = await server.dial()
    await Promise.all([first.greet(), second.greet()])
    await Promise.all([first.run('a', ['echo', 'one']), second.run('a', ['echo', 'two'], { tty: true })])
    expect([first.text('a'), second.text('a')]).toEqual(['one\n', 'two\r\n'])
    await expect(connectWebSocket({ url: await server.url(), token: 'wrong' })).rejects.toThrow()
    await expect(connectWebSocket({ url: await server.url() })).rejects.toThrow()
    expect(statSync(join(server.home.env.PARLEY_HOME, 'exec-server-token')).mode & 0o777).toBe(0o600)
  })

  it('lets a client resume its session', async () => {
    await using server = await spawnExecServer('--listen', 'ws://127.0.0.1:0')
    const first = await server.dial()
    const resumeSessionId = (await first.greet()).result?.['sessionId']
    await first.start('a', ['cat'], { pipeStdin: true })
    await first.leave()
    await using second = await server.dial()
    const answer = await waitUntil(async () => (await second.greet({ clientName: 'test', resumeSessionId })).result, {
      what: 'the session',
    })
    expect(answer).toMatchObject({ sessionId: resumeSessionId })
    const chunk = Buffer.from('still here\n').toString('base64')
    await second.ask('process/write', { processId: 'a', chunk, closeStdin: true })
    await second.untilTold('a', 'process/closed')
    expect(second.text('a')).toBe('still here\n')
    server.child.kill('SIGTERM')
    expect(await server.exitCode()).toBe(0)
  })

  it('with --no-linger ends the processes of a lost client at once', async () => {
    await using server = await spawnExecServer('--listen', 'ws://127.0.0.1:0', '--no-linger')
    const client = await server.dial()
    await client.greet()
    await startTree(server, client)
    await client.leave()
    await server.noDescendants()
    await using next = await server.dial()
    expect((await next.greet()).result).toBeDefined()
  })

  it('reports why it cannot listen', async () => {
    await using server = await spawnExecServer('--listen', 'ws://127.0.0.1:0')
    await using other = await spawnExecServer('--listen', await server.url())
    expect(await other.exitCode()).toBe(1)
    expect(other.stderr()).toMatch(/another program listens there/)
  })
})
