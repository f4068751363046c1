import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from '@parley/client'
import { keptContents } from '@parley/engine/src/history/kept-contents.ts'
import type { TestClient, Watched } from '@parley/engine/test/support/test-client.ts'
import { nodeFiles } from '@parley/journal'
import { openStore } from '@parley/team/store'
import { freePorts, hasNats, type NatsServers, startModelServer, startNats, waitUntil } from '@parley/testkit'
import { isLong } from '@parley/testkit/long-runs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runStore } from '../../src/programs/store/run-store.ts'
import { type Failpoint, failpoints } from '../fixtures/failpoints.ts'
import { type ProcessPlace, processPlace, type SpawnedServer } from './support/spawned-server.ts'

describe.skipIf(!hasNats)('servers that share a store', { timeout: 60_000 }, () => {
  let nats: NatsServers
  beforeAll(async () => {
    nats = await startNats()
  })
  afterAll(() => nats[Symbol.asyncDispose]())

  const start = (place: ProcessPlace, killAt?: Failpoint, args: readonly string[] = []) =>
    place.spawn(killAt, {}, ['--store', `nats://${nats.addresses.join(',')}`, ...args])

  it('take over from one that was killed, with its question under the same id', async () => {
    await using world = await twoPlaces('echo x >> ran')
    const { one, other } = world
    const owner = start(one)
    const asked = await ask(await owner.connect(), one.cwd)
    const { id: approvalId } = await asked.approval()
    await kill(owner)

    const { client, watched } = await resumeOn(start(other), asked.conversationId)
    expect((await watched.approval()).id).toBe(approvalId)
    await answer(client, watched)
    expect(readFileSync(join(one.cwd, 'ran'), 'utf8')).toBe('x\n')
    expect(linesIn(other, asked.conversationId).slice(0, asked.events.length)).toEqual(
      asked.events.map(({ seq }) => seq),
    )
  })

  it('leave a conversation to the one that took it while they were paused', async () => {
    await using world = await twoPlaces('echo x >> ran')
    const { one, other } = world
    const paused = start(one)
    const before = await paused.connect()
    const asked = await ask(before, one.cwd)
    const { id: approvalId } = await asked.approval()
    paused.child.kill('SIGSTOP')
    const { client, watched } = await resumeOn(start(other), asked.conversationId)
    paused.child.kill('SIGCONT')

    const { conversationId } = asked
    const refused = await before.refused('approval/decide', { conversationId, approvalId, decision: 'approved' })
    expect(refused.code).toBe('storageFailed')
    expect(existsSync(join(one.cwd, 'ran'))).toBe(false)
    await answer(client, watched)
    expect(readFileSync(join(one.cwd, 'ran'), 'utf8')).toBe('x\n')
    expect((await before.refused('conversation/resume', { conversationId })).code).toBe('liveElsewhere')
    // Its home has the line of the yes, which the store refused, and may have one that follows from it.
    expect(await verify(one, conversationId)).toMatchObject({
      code: 0,
      outcome: {
        result: 'waiting',
        compared: {
          unsent: { lines: expect.toSatisfy((lines: number) => lines >= 1 && lines <= 2) },
          partsAtLine: null,
        },
      },
    })
    expect(await verify(other, conversationId)).toMatchObject({ code: 0, outcome: { result: 'the same' } })
    const log = one.path(conversationId)
    writeFileSync(log, readFileSync(log, 'utf8').replace('"go"', '"no"'))
    expect(await verify(one, conversationId)).toMatchObject({ code: 11, outcome: { result: 'differs' } })
  })

  /** Runs `parley store verify` with the home of a server. */
  async function verify({ root }: ProcessPlace, conversationId: string) {
    let output = ''
    const env = { HOME: root, PARLEY_HOME: join(root, '.parley') }
    const args = ['verify', '--store', `nats://${nats.addresses.join(',')}`, '--json', conversationId]
    const code = await runStore(args, env, { write: (text) => (output += text) })
    return { code, outcome: JSON.parse(output) }
  }

  it('send clients to the one that has a conversation, and say when they can serve none', async () => {
    await using world = await twoPlaces('echo x >> ran')
    const { one, other } = world
    const token = join(one.root, 'token')
    const [near, far] = [await listen(start, one, token), await listen(start, other, token)]
    const target = { token: readFileSync(token, 'utf8').trim() }
    await using owner = await connect({ url: near, ...target })
    await using asker = await connect({ url: far, ...target })
    const conversation = await owner.create({ cwd: one.cwd })
    await conversation.send('go')

    const listed = (await asker.list()).conversations.filter(({ conversationId }) => conversationId === conversation.id)
    expect(listed).toMatchObject([{ live: { address: near, socket: null } }])
    const joined = await asker.resume(conversation.id)
    joined.onApproval(() => 'approved')
    await waitUntil(() => existsSync(join(one.cwd, 'ran')), { what: 'the command' })
    expect(joined.attached).toBe(true)
    const status = async () => (await fetch(`${far.replace('ws:', 'http:')}/readyz`)).status
    expect(await status()).toBe(200)
    await nats.kill(0)
    await waitUntil(async () => (await status()) === 503, {
      what: 'a store that has not answered for a second and a half',
    })
    await nats.start(0)
    await waitUntil(async () => (await status()) === 200, { what: 'the store' })
  })

  it('wait for a store that is away when they start, and say so', async () => {
    await using world = await twoPlaces('echo x >> ran')
    const { one } = world
    const [port = 0] = await freePorts(1)
    const token = join(one.root, 'token')
    await nats.kill(0)
    const server = start(one, undefined, ['--listen', `ws://127.0.0.1:${port}`, '--token-file', token])
    const status = (path: string) =>
      fetch(`http://127.0.0.1:${port}${path}`).then(
        (answer) => answer.status,
        () => null,
      )
    await waitUntil(async () => (await status('/readyz')) === 503, { what: 'a server that is not ready' })
    expect(await status('/healthz')).toBe(200)
    expect(server.stderr()).toMatch(/store nats:\S+ cannot be reached.*Waiting for it/)
    await nats.start(0)
    await waitUntil(async () => (await status('/readyz')) === 200, { what: 'a server that is ready' })
    await using client = await connect({ url: `ws://127.0.0.1:${port}`, token: readFileSync(token, 'utf8').trim() })
    expect((await client.create({ cwd: one.cwd })).state.core.turn).toBeNull()
  })

  it('show nothing while the store is away, and go on when it is back', async () => {
    await using world = await twoPlaces('echo x >> ran')
    const { one } = world
    const client = await start(one).connect()
    const asked = await ask(client, one.cwd)
    await asked.approval()
    const seen = asked.events.length
    await nats.kill(0)
    const answered = answer(client, asked)
    const { message } = await client.notice(({ code }) => code === 'storageFailed')
    expect(message).toContain('store')
    expect(asked.events).toHaveLength(seen)
    await nats.start(0)
    await answered
    expect(asked.state.core.lastTurn).toMatchObject({ outcome: 'completed' })
  })

  it('open nothing as it was before another took it, when they wake from a pause', async () => {
    await using world = await twoPlaces('echo x >> ran')
    const { one, other } = world
    const paused = start(one)
    const before = await paused.connect()
    const asked = await ask(before, one.cwd)
    await asked.approval()
    paused.child.kill('SIGSTOP')
    const { client, watched } = await resumeOn(start(other), asked.conversationId)
    await answer(client, watched)
    paused.child.kill('SIGCONT')

    const { conversationId } = asked
    expect((await before.refused('conversation/resume', { conversationId })).code).toBe('liveElsewhere')
  })

  it('run on one what was answered on another that was killed, and do not ask again', async () => {
    await using world = await twoPlaces('echo x >> ran')
    const { one, other } = world
    const owner = start(one, failpoints.afterYesIsLogged)
    const asking = await owner.connect()
    const asked = await ask(asking, one.cwd)
    const { conversationId } = asked
    answer(asking, asked).catch(() => undefined)
    await owner.exited
    await sendRest(one, conversationId)

    const { client, watched } = await resumeOn(start(other), conversationId)
    await client.request('conversation/continue', { conversationId })
    await watched.turnEnded()
    expect(readFileSync(join(one.cwd, 'ran'), 'utf8')).toBe('x\n')
    const lines = other.logLines(conversationId)
    expect(lines.filter((line) => line.includes('"type":"approval.requested"'))).toHaveLength(1)
  })

  /** Stores what a server had only in its copy when it was killed, as if it had been killed a moment later. */
  async function sendRest(place: ProcessPlace, conversationId: string): Promise<void> {
    await using store = await openStore({ servers: nats.addresses, replicas: 1, files: nodeFiles })
    const log = place.path(conversationId)
    const acked = log.replace('.jsonl', '.acked')
    const shipment = await store.take(
      {
        conversationId,
        log,
        sideFiles: place.path(conversationId, 'sideFiles'),
        acked,
        contents: keptContents(place.root),
      },
      'stored',
    )
    appendFileSync(log, readFileSync(log.replace('.jsonl', '.torn-1')))
    const { size } = statSync(log)
    shipment.wrote(size)
    await shipment.acknowledged(size)
    await shipment.close()
  }

  const points = ['afterYesIsLogged', 'beforeCommandStarts', 'inMiddleOfLine'] as const
  // The other points are killed at in killed-server.test.ts, without a store.
  it.each(isLong ? points : points.slice(-1))('lose nothing that was shown when one is killed (%s)', async (point) => {
    const sent = Promise.withResolvers<void>()
    await using world = await twoPlaces('echo x >> ran', sent.promise)
    const { one, other } = world
    const owner = start(one, failpoints[point])
    const client = await owner.connect()
    const watched = await ask(client, one.cwd)
    sent.resolve()
    answer(client, watched).catch(() => undefined)
    await owner.exited

    const { conversationId, events } = watched
    await resumeOn(start(other), conversationId)
    expect(linesIn(other, conversationId)).toEqual(expect.arrayContaining(events.map(({ seq }) => seq)))
    const ran = join(one.cwd, 'ran')
    expect(existsSync(ran) ? readFileSync(ran, 'utf8') : '').toMatch(/^(x\n)?$/)
  })
})

type Start = (place: ProcessPlace, killAt: undefined, args: readonly string[]) => SpawnedServer

/** Starts a server that listens, and returns its address. */
async function listen(start: Start, place: ProcessPlace, tokenFile: string): Promise<string> {
  const server = start(place, undefined, ['--listen', 'ws://127.0.0.1:0', '--token-file', tokenFile])
  return waitUntil(() => /ws:\/\/\S+/.exec(server.stderr())?.[0], { what: 'the address of the server' })
}

interface TwoPlaces extends AsyncDisposable {
  readonly one: ProcessPlace
  readonly other: ProcessPlace
}

/** Homes of two servers whose model runs a command; it answers once `gate` resolves. */
async function twoPlaces(command: string, gate: Promise<void> = Promise.resolve()): Promise<TwoPlaces> {
  const calls = [{ name: 'shell', arguments: { command } }]
  const model = await startModelServer([{ calls, gate }, { text: 'Done.' }])
  const one = processPlace(model.url, 'untrusted')
  const other = processPlace(model.url, 'untrusted')
  return {
    one,
    other,
    async [Symbol.asyncDispose]() {
      await Promise.all([one, other, model].map((each) => each[Symbol.asyncDispose]()))
    },
  }
}

async function ask(client: TestClient, cwd: string): Promise<Watched> {
  const { conversationId } = await client.request('conversation/create', { cwd })
  const watched = await client.watch(conversationId)
  await watched.send('go')
  return watched
}

async function answer(client: TestClient, { conversationId, approval, turnEnded }: Watched): Promise<void> {
  const { id: approvalId } = await approval()
  await client.request('approval/decide', { conversationId, approvalId, decision: 'approved' })
  await turnEnded()
}

async function resumeOn(server: SpawnedServer, conversationId: string) {
  const client = await server.connect()
  await client.request('conversation/resume', { conversationId })
  return { client, watched: await client.watch(conversationId) }
}

async function kill({ child, exited }: SpawnedServer): Promise<void> {
  child.kill('SIGKILL')
  await exited
}

/** Returns the numbers of the events in the copy of a log. */
function linesIn(place: ProcessPlace, conversationId: string): number[] {
  return place
    .logLines(conversationId)
    .slice(1)
    .map((line) => JSON.parse(line).seq)
}
