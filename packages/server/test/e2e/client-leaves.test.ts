import type { TestClient, Watched } from '@parley/engine/test/support/test-client.ts'
import { type ScriptedStep, startModelServer, waitUntil } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { expectShownIsStored, takeOver } from './support/after-kill.ts'
import { fullAccess, type ProcessPlace, processPlace, type SpawnedServer } from './support/spawned-server.ts'

const shell = (command: string) => ({ calls: [{ name: 'shell', arguments: { command } }] })
/** Ignores every polite signal. */
const stubborn = `trap '' INT TERM HUP; echo started; while :; do sleep 1; done`

interface Scene {
  readonly steps: readonly ScriptedStep[]
  readonly sandbox?: 'danger-full-access'
  /** Resolves in the state in which the client goes. */
  readonly reach: (watched: Watched, client: TestClient) => Promise<unknown>
  readonly saved: (watched: Watched) => void
}

const outputIs = (text: string) => (watched: Watched) =>
  watched.until(({ core }) => Object.values(core.open).find(({ output }) => output === text))

const scenes: Record<string, Scene> = {
  'nothing is going on': {
    steps: [{ text: 'ok' }],
    reach: (watched) => watched.turnEnded(),
    saved: ({ state }) => expect(state.core.lastTurn).toMatchObject({ outcome: 'completed' }),
  },
  'the model is speaking': {
    steps: [{ hang: 'mid', text: 'A long answer, of which half comes.', chunks: 8 }],
    reach: (watched) => watched.until(({ core }) => Object.values(core.open).find(({ item }) => item.text !== '')),
    saved: (watched) => {
      expect(watched.state.core.lastTurn).toMatchObject({ outcome: 'interrupted' })
      expect(watched.items().slice(1)).toMatchObject([
        { type: 'agentMessage', status: 'interrupted' },
        { code: 'shutdown' },
      ])
    },
  },
  'the model has not answered yet': {
    steps: [{ hang: 'headers' }],
    reach: (watched) => watched.until(({ core }) => core.turn?.modelCalls === 1),
    saved: ({ state }) => expect(state.core.lastTurn).toMatchObject({ outcome: 'interrupted' }),
  },
  'an approval waits': {
    steps: [shell('touch x')],
    reach: (watched) => watched.approval(),
    saved: ({ state }) => {
      expect(state.core.turn).toMatchObject({ parked: true })
      expect(Object.values(state.core.approvals)).toMatchObject([{ state: 'pending', title: 'touch x' }])
    },
  },
  'a command runs': {
    steps: [shell('echo started; sleep 600')],
    sandbox: 'danger-full-access',
    reach: outputIs('started\n'),
    saved: (watched) =>
      expect(watched.items()[1]).toMatchObject({
        status: 'interrupted',
        output: { head: 'started\n' },
        modelText: expect.stringContaining('parley was closed'),
      }),
  },
  'a command runs that does not want to end': {
    steps: [shell(stubborn)],
    sandbox: 'danger-full-access',
    reach: outputIs('started\n'),
    saved: (watched) => expect(watched.items()[1]).toMatchObject({ status: 'interrupted', signal: 'SIGKILL' }),
  },
  'a command runs that left its session': {
    steps: [shell(`setsid sh -c '${stubborn.replaceAll("'", `'"'"'`)}' & echo started; wait`)],
    sandbox: 'danger-full-access',
    reach: (watched) =>
      watched.until(({ core }) => Object.values(core.open).find(({ output }) => output.includes('started'))),
    saved: (watched) => expect(watched.items()[1]).toMatchObject({ status: 'interrupted' }),
  },
  'a process goes on in the background': {
    steps: [{ calls: [{ name: 'shell', arguments: { command: stubborn, background: true } }] }, { text: 'ok' }],
    sandbox: 'danger-full-access',
    reach: (watched) => watched.turnEnded(),
    saved: ({ state }) => expect(state.core.lastTurn).toMatchObject({ outcome: 'completed' }),
  },
  "the user's own command runs": {
    steps: [{ text: 'ok' }],
    async reach(watched, client) {
      await watched.turnEnded()
      const { conversationId } = watched
      await client.request('conversation/runShell', { conversationId, command: stubborn })
      await outputIs('started\n')(watched)
    },
    saved: (watched) => expect(watched.items().at(-1)).toMatchObject({ type: 'shellCommand', status: 'interrupted' }),
  },
}

const departures: Record<string, (server: SpawnedServer, client: TestClient) => unknown> = {
  'closes its connection': (_, client) => client.peer.close(),
  'is killed': ({ child }) => {
    child.stdin?.destroy()
    child.stdout?.destroy()
  },
  'sends SIGTERM': ({ child }) => child.kill('SIGTERM'),
}

async function leave(
  place: ProcessPlace,
  scene: Scene,
  depart: (server: SpawnedServer, client: TestClient) => unknown,
) {
  const server = place.spawn(undefined, {}, fullAccess)
  const client = await server.connect()
  const params = scene.sandbox === undefined ? { cwd: place.cwd } : { cwd: place.cwd, sandbox: scene.sandbox }
  const { conversationId } = await client.request('conversation/create', params)
  const watched = await client.watch(conversationId)
  await watched.send('go')
  await scene.reach(watched, client)
  depart(server, client)
  // The promise is 2 s on a quiet machine; a test asserts no time, only that it does leave.
  const exit = await waitUntil(() => server.exit(), { what: 'the server to leave', timeoutMs: 30_000 })
  return { exit, watched, conversationId, stderr: server.stderr() }
}

/** However it goes, the server sees one connection end: each scene with one departure in turn, all pairs in the long run. */
const names = Object.keys(departures)
const scenesFor = (departure: string) =>
  Object.entries(scenes).filter(
    (_, index) => process.env['PARLEY_LONG_TESTS'] === '1' || names[index % names.length] === departure,
  )

describe.each(Object.entries(departures))('a client that %s', { timeout: 60_000 }, (departure, depart) => {
  it.each(scenesFor(departure))('while %s lets the server leave in time, with all of it saved', async (__, scene) => {
    await using model = await startModelServer(scene.steps)
    await using place = processPlace(model.url)
    const { exit, watched: shown, conversationId, stderr } = await leave(place, scene, depart)
    expect({ exit, stderr }).toEqual({ exit: { code: 0, signal: null }, stderr: '' })
    await place.noDescendants()
    expectShownIsStored(place, shown)
    const { summary, watched } = await takeOver(place, conversationId)
    expect(summary.recovered).toBeNull()
    scene.saved(watched)
  })
})
