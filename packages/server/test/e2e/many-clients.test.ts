import { createConnection, type Socket } from 'node:net'
import { connectTestClient, type TestClient, type Watched } from '@parley/engine/test/support/test-client.ts'
import type { ConnectedClient } from '@parley/protocol'
import { connectSocket } from '@parley/rpc'
import { connectWebSocket } from '@parley/rpc/websocket'
import { type ScriptedStep, startModelServer, waitUntil } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { expectShownIsStored } from './support/after-kill.ts'
import { processPlace, type SpawnedServer } from './support/spawned-server.ts'

const mebibyte = 1024 * 1024
/** Clients beside the first one, a reader and one that stalls: 20 in all in long runs. Each folds every event. */
const othersCount = process.env['PARLEY_LONG_TESTS'] === '1' ? 17 : 5
const flood = (chunks: number): ScriptedStep => ({ text: 'x'.repeat(mebibyte), chunks })

const hello = { protocolVersion: { min: 2, max: 2 }, clientInfo: { name: 'raw', version: '1' } }
const ask = (id: number, method: string, params: object) =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`

/** A client made of bytes, that reads when it is told to. Its lines are answers and events; the count of clients is left out. */
async function rawClient(path: string) {
  const socket = createConnection(path)
  await new Promise((connected) => socket.once('connect', connected))
  socket.on('error', () => {})
  let text = ''
  socket.setEncoding('utf8').on('data', (more: string) => {
    text += more
  })
  const isCount = (line: string) => line.includes('"method":"conversation/clientsChanged"')
  const lines = () => text.split('\n').slice(0, -1)
  return { socket, lines: () => lines().filter((line) => !isCount(line)) }
}

async function vanish(socket: Socket): Promise<void> {
  socket.destroy()
  await new Promise((closed) => socket.once('close', closed))
}

const sizeOf = ({ events }: Watched) => events.reduce((sum, event) => sum + JSON.stringify(event).length, 0)

const caughtUp = (seen: Watched, { state }: Watched) =>
  seen.until(({ core }) => core.seq >= state.core.seq && core.turn === null)

/** No gap and no repeat (the client throws on one), and the same state. */
function expectSame(all: readonly Watched[], { state }: Watched): void {
  for (const { state: own } of all) expect(own.core).toEqual(state.core)
}

async function clientNamed(client: TestClient, name: string): Promise<ConnectedClient | undefined> {
  return (await client.request('server/diagnostics', {})).clients.find((known) => known.name === name)
}

async function firstTalk(server: SpawnedServer, cwd: string) {
  const client = await server.connect()
  const { conversationId } = await client.request('conversation/create', { cwd })
  const watched = await client.watch(conversationId)
  return { client, conversationId, watched }
}

describe('many clients of one conversation', { timeout: 60_000 }, () => {
  it('all see the same flood while one of them reads nothing, which costs little and delays nobody', async () => {
    await using model = await startModelServer([flood(40), flood(40), flood(40)])
    await using place = processPlace(model.url)
    const server = place.spawn()
    const { client, conversationId, watched } = await firstTalk(server, place.cwd)
    const path = await server.socket()
    const others = await Promise.all(Array.from({ length: othersCount }, (_, index) => server.join(`client ${index}`)))
    const reader = await server.join('reader', { access: 'readOnly' })
    const stalled = await rawClient(path)
    stalled.socket.write(ask(1, 'initialize', hello) + ask(2, 'conversation/stream', { conversationId }))
    await waitUntil(() => stalled.lines().length === 2, { what: 'both answers' })
    stalled.socket.pause()
    const all = await Promise.all([...others, reader].map((other) => other.watch(conversationId)))
    for (let turn = 1; turn <= 3; turn++) {
      await watched.send('go')
      await watched.until(({ core }) => core.counts.turns === turn && core.turn === null)
    }
    await Promise.all(all.map((seen) => caughtUp(seen, watched)))
    expectSame(all, watched)
    const unread = await clientNamed(client, 'raw')
    expect(unread).toMatchObject({ streams: 1 })
    expect(unread?.unreadBytes).toBeGreaterThan(mebibyte / 2)
    expect(unread?.unreadBytes).toBeLessThan(4 * mebibyte)
    expect(sizeOf(watched)).toBeGreaterThan(6 * mebibyte)
    stalled.socket.resume()
    const last = watched.state.core.seq
    await waitUntil(() => stalled.lines().at(-1)?.includes(`"seq":${last},`), {
      what: 'the last event',
      timeoutMs: 30_000,
    })
    const seqs = stalled
      .lines()
      .slice(2)
      .map((line) => JSON.parse(line).params.seq)
    expect(seqs).toEqual(Array.from({ length: last }, (_, index) => index + 1))
    await vanish(stalled.socket)
    expectShownIsStored(place, watched)
  })

  it('go on with each other, whoever leaves at whatever step', async () => {
    await using model = await startModelServer([
      { text: 'word '.repeat(300), chunks: 300, delayMs: 3 },
      { calls: [{ name: 'shell', arguments: { command: 'touch x' } }] },
      { text: 'done' },
    ])
    await using place = processPlace(model.url)
    const server = place.spawn()
    const { conversationId, watched } = await firstTalk(server, place.cwd)
    const path = await server.socket()
    const leaveAfter = async (bytes: string, answers: number) => {
      const { socket, lines } = await rawClient(path)
      socket.write(bytes)
      await waitUntil(() => lines().length >= answers, { what: `${answers} answers` })
      await vanish(socket)
    }
    const stream = ask(1, 'initialize', hello) + ask(2, 'conversation/stream', { conversationId })
    await leaveAfter('', 0)
    await leaveAfter('{"jsonrpc":"2.0","id":1,"meth', 0)
    await leaveAfter(ask(1, 'initialize', hello), 0)
    await watched.send('go')
    await watched.until(({ core }) => Object.values(core.open).find(({ item }) => item.text !== ''))
    await leaveAfter(stream, 0)
    await leaveAfter(stream, 4)
    await watched.turnEnded()
    await watched.send('ask me')
    const { id: approvalId } = await watched.approval()
    await leaveAfter(stream, 2)
    const decide = ask(3, 'approval/decide', { conversationId, approvalId, decision: 'approved' })
    await leaveAfter(stream + decide, 3)
    await watched.turnEnded()
    expect(watched.items().at(-1)).toMatchObject({ type: 'agentMessage', text: 'done' })
  })

  it('answers 3,000 pipelined requests, by socket and by websocket', async () => {
    await using model = await startModelServer([])
    await using place = processPlace(model.url)
    const server = place.spawn(undefined, {}, ['--listen', 'ws://127.0.0.1:0'])
    const address = await waitUntil(() => /ws:\/\/\S+/.exec(server.stderr())?.[0], {
      what: 'the address',
      timeoutMs: 30_000,
    })
    const token = place.read('../.parley/server-token').trim()
    const overSocket = await server.join()
    const overWebSocket = await connectTestClient(await connectWebSocket({ url: address, token }))
    for (const client of [overSocket, overWebSocket]) {
      const asked = Array.from({ length: 3000 }, (_, index) =>
        client.peer.request(index % 2 === 0 ? 'conversation/list' : 'no/such', {}).then(
          () => 'answered',
          (error: { data: { code: string } }) => error.data.code,
        ),
      )
      const answers = await Promise.all(asked)
      expect(answers.filter((answer) => answer === 'methodNotFound')).toHaveLength(1500)
      const listed = answers.filter((answer) => answer === 'answered').length
      expect(listed + answers.filter((answer) => answer === 'serverOverloaded').length).toBe(1500)
      expect(listed).toBeGreaterThan(0)
    }
    await overWebSocket.peer.close()
    server.child.kill('SIGTERM')
    expect(await server.exited).toEqual({ code: 0, signal: null })
  })

  it('meet again after three restarts of the server, each from where it was', async () => {
    const turns = Array.from(
      { length: 4 },
      (): ScriptedStep => ({ text: 'word '.repeat(400), chunks: 100, delayMs: 1 }),
    )
    await using model = await startModelServer(turns)
    await using place = processPlace(model.url)
    let server = place.spawn()
    const { conversationId, watched } = await firstTalk(server, place.cwd)
    let all = [
      watched,
      await (await server.join()).watch(conversationId),
      await (await server.join()).watch(conversationId),
    ]
    const seen = all.map((): number[] => [])
    const note = () => all.forEach(({ events }, index) => void seen[index]?.push(...events.map(({ seq }) => seq)))
    for (const signal of ['SIGKILL', 'SIGTERM', 'SIGKILL'] as const) {
      await all[1]?.send('go')
      await all[2]?.until(({ core }) => Object.values(core.open).find(({ item }) => item.text.length > 500))
      server.child.kill(signal)
      await server.exited
      note()
      server = place.spawn()
      all = await attachAgain(server, all)
      expect(all.map(({ reset }) => reset)).toEqual([false, false, false])
    }
    await all[0]?.send('go')
    await Promise.all(all.map((again) => again.turnEnded()))
    await Promise.all(all.map((again) => again.until(({ core }) => core.seq === all[0]?.state.core.seq)))
    note()
    const last = all[0]?.state.core.seq ?? 0
    for (const seqs of seen) expect(seqs).toEqual(Array.from({ length: last }, (_, index) => index + 1))
  })
})

async function attachAgain(server: SpawnedServer, before: readonly Watched[]): Promise<Watched[]> {
  const client = await server.connect()
  const { conversationId } = before[0] ?? { conversationId: '' }
  await client.request('conversation/resume', { conversationId })
  const clients = [client, ...(await Promise.all(before.slice(1).map(() => server.join())))]
  return Promise.all(clients.map((again, index) => again.watch(conversationId, before[index]?.cursor)))
}

describe.concurrent('the owner of a conversation', { timeout: 60_000 }, () => {
  it('is where a second server sends those who want it, and they can join it there', async ({ expect }) => {
    await using model = await startModelServer([{ text: 'A' }, { text: 'B' }])
    await using place = processPlace(model.url)
    const owner = place.spawn()
    const { conversationId, watched } = await firstTalk(owner, place.cwd)
    await watched.send('one')
    await watched.turnEnded()
    const elsewhere = await place.spawn().connect()
    const refused = await elsewhere.refused('conversation/resume', { conversationId })
    expect(refused).toMatchObject({ number: -32010, code: 'liveElsewhere', detail: { conversationId, pid: owner.pid } })
    const { socket } = refused.detail
    const joined = await connectTestClient(await connectSocket(String(socket)))
    const seen = await joined.watch(conversationId)
    expectSame([seen], watched)
    await seen.send('two')
    await watched.until(({ core }) => core.counts.turns === 2 && core.turn === null)
    expect((await elsewhere.request('conversation/list', {})).conversations).toMatchObject([
      { live: { pid: owner.pid, socket } },
    ])
  })

  it('is not offered once it is dead', async ({ expect }) => {
    await using model = await startModelServer([{ text: 'A' }])
    await using place = processPlace(model.url)
    const owner = place.spawn()
    const { conversationId, watched } = await firstTalk(owner, place.cwd)
    await watched.send('one')
    await watched.turnEnded()
    const path = await owner.socket()
    owner.child.kill('SIGKILL')
    await owner.exited
    await expect(connectSocket(path)).rejects.toMatchObject({ reason: 'unreachable' })
    const next = await place.spawn().connect()
    expect((await next.request('conversation/list', {})).conversations).toMatchObject([{ live: null }])
    await next.request('conversation/resume', { conversationId })
  })

  it('goes on without the client that started it, and leaves with its last one', async ({ expect }) => {
    await using model = await startModelServer([{ text: 'word '.repeat(200), chunks: 200, delayMs: 3 }])
    await using place = processPlace(model.url)
    const server = place.spawn()
    const { client, conversationId, watched } = await firstTalk(server, place.cwd)
    const other = await server.join('other')
    const seen = await other.watch(conversationId)
    await watched.send('go')
    await watched.until(({ core }) => Object.values(core.open).find(({ item }) => item.text !== ''))
    await client.peer.close()
    await seen.turnEnded()
    expect(seen.state.core.lastTurn).toMatchObject({ outcome: 'completed' })
    expect(server.exit()).toBeNull()
    await other.peer.close()
    expect(await server.exited).toEqual({ code: 0, signal: null })
  })
})

describe.concurrent('a detached conversation', { timeout: 60_000 }, () => {
  it('is finished after its client has left, and then the server leaves', async ({ expect }) => {
    await using model = await startModelServer([{ text: 'word '.repeat(200), chunks: 200, delayMs: 3 }])
    await using place = processPlace(model.url)
    const server = place.spawn()
    const { client, conversationId, watched } = await firstTalk(server, place.cwd)
    await watched.send('go')
    await watched.until(({ core }) => Object.values(core.open).find(({ item }) => item.text !== ''))
    await client.request('conversation/detach', { conversationId })
    await client.peer.close()
    expect(await server.exited).toEqual({ code: 0, signal: null })
    expect(place.logLines(conversationId).at(-1)).toContain('"outcome":"completed"')
  })

  it('waits on in the log where it needs a person, and the server leaves', async ({ expect }) => {
    await using model = await startModelServer([{ calls: [{ name: 'shell', arguments: { command: 'touch x' } }] }])
    await using place = processPlace(model.url)
    const server = place.spawn()
    const { client, conversationId, watched } = await firstTalk(server, place.cwd)
    await watched.send('go')
    await client.request('conversation/detach', { conversationId })
    await client.peer.close()
    expect(await server.exited).toEqual({ code: 0, signal: null })
    const later = await place.spawn().connect()
    await later.request('conversation/resume', { conversationId })
    const seen = await later.watch(conversationId)
    expect(seen.state.core.turn).toMatchObject({ parked: true })
    expect(await seen.approval()).toMatchObject({ title: 'touch x' })
  })

  it('can be joined meanwhile, and ends with a client that came back and leaves', async ({ expect }) => {
    await using model = await startModelServer([{ hang: 'mid', text: 'A long answer.', chunks: 4 }])
    await using place = processPlace(model.url)
    const server = place.spawn()
    const { client, conversationId, watched } = await firstTalk(server, place.cwd)
    await watched.send('go')
    await watched.until(({ core }) => Object.values(core.open).find(({ item }) => item.text !== ''))
    const path = await server.socket()
    await client.request('conversation/detach', { conversationId })
    await client.peer.close()
    const back = await connectTestClient(await connectSocket(path))
    const seen = await back.watch(conversationId, watched.cursor)
    expect(seen.reset).toBe(false)
    await back.peer.close()
    expect(await server.exited).toEqual({ code: 0, signal: null })
    expect(place.logLines(conversationId).at(-1)).toContain('"outcome":"interrupted"')
  })
})
