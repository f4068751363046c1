import { appendFileSync, readFileSync } from 'node:fs'
import type { TestClient } from '@parley/engine/test/support/test-client.ts'
import { decodeLine } from '@parley/journal'
import { type Envelope, initialState, reduce } from '@parley/protocol'
import { type ScriptedStep, startModelServer } from '@parley/testkit'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createFollower, createWitness, digestOf, type Follower, type Witness } from './support/follower.ts'
import { type ProcessPlace, processPlace, type SpawnedServer } from './support/spawned-server.ts'

/** Promise 6: 20 clients, 100,000 events and three restarts with `PARLEY_LONG_TESTS=1`, else a small share of it. */
const isLong = process.env['PARLEY_LONG_TESTS'] === '1'
const size = isLong ? { followers: 20, events: 100_000, steps: 100 } : { followers: 5, events: 800, steps: 10 }
const restarts = ['SIGKILL', 'SIGTERM', 'SIGKILL'] as const
const limitMs = isLong ? 600_000 : 90_000

/** Text of an answer: with it, a reader that has stalled is behind what memory keeps. */
const answer: ScriptedStep = { text: 'A line of the answer.\n'.repeat(50_000), chunks: 40 }

const acts = ['cursor', 'cursor', 'nothing', 'lostTail', 'close', 'unstream', 'stall', 'stall', 'goOn'] as const
const move = fc.record({ who: fc.nat(size.followers - 1), act: fc.constantFrom(...acts) })
const step = fc.record({ moves: fc.array(move, { maxLength: 4 }), asks: fc.nat(7).map((n) => n === 0) })
const plan = fc.record({
  steps: fc.array(step, { minLength: size.steps, maxLength: size.steps }),
  restartsAt: fc.uniqueArray(fc.nat(size.steps - 1), { minLength: restarts.length, maxLength: restarts.length }),
})
type Plan = typeof plan extends fc.Arbitrary<infer Value> ? Value : never

it(
  'joins, leaves, stalls and restarts leave every client with the state of the log at every event',
  async () => {
    const seed = isLong ? {} : { seed: 20_261_122 }
    await fc.assert(fc.asyncProperty(plan, carryOut), { numRuns: 1, endOnFailure: true, ...seed })
  },
  limitMs,
)

async function carryOut({ steps, restartsAt }: Plan): Promise<void> {
  await using model = await startModelServer(Array.from({ length: steps.length + 1 }, () => answer))
  await using place = processPlace(model.url)
  let server = place.spawn()
  let writer = await server.connect()
  const { conversationId } = await writer.request('conversation/create', { cwd: place.cwd })
  const witness = createWitness()
  const names = Array.from({ length: size.followers }, (_, index) => `follower ${index}`)
  const followers = names.map((name) => createFollower(name, conversationId, witness))
  await rename(writer, conversationId, 1)
  for (const follower of followers) await follower.join(await server.socket(), 'nothing')
  for (const [index, { moves, asks }] of steps.entries()) {
    const written = rename(writer, conversationId, Math.ceil(size.events / size.steps))
    if (asks || restartsAt.includes(index)) await ask(writer, conversationId)
    for (const { who, act } of moves) await carryOutMove(followers[who], act, server)
    const signal = restarts[restartsAt.indexOf(index)]
    if (signal === undefined) await written
    else {
      server.child.kill(signal)
      await Promise.all([server.exited, written])
      if (signal === 'SIGKILL') tearLastWrite(place, conversationId)
      server = place.spawn()
      writer = await server.connect()
      await writer.request('conversation/resume', { conversationId })
      for (const follower of followers) await follower.join(await server.socket(), 'cursor')
    }
  }
  await settle({ server, writer, followers, conversationId })
  expectOneTruth(place, conversationId, { witness, followers })
}

async function carryOutMove(follower: Follower | undefined, act: (typeof acts)[number], server: SpawnedServer) {
  switch (act) {
    case 'stall':
      return follower?.stall()
    case 'goOn':
      return follower?.goOn()
    case 'close':
    case 'unstream':
      return follower?.leave(act)
    default:
      return follower?.join(await server.socket(), act)
  }
}

/** Leaves the first half of a next line, as a kill does that comes while the kernel writes. It may have done so here. */
function tearLastWrite(place: ProcessPlace, conversationId: string): void {
  const lines = readFileSync(place.path(conversationId), 'utf8').split('\n')
  if (lines.at(-1) !== '') return
  const { seq } = JSON.parse(lines.at(-2) ?? '')
  appendFileSync(place.path(conversationId), `{"seq":${seq + 1},"at":1,"event":{"type":"conversation.na`)
}

/** Records small events, as many as are asked for unless the server dies. */
async function rename(writer: TestClient, conversationId: string, count: number): Promise<void> {
  const atOnce = 500
  for (let done = 0; done < count; done += atOnce) {
    const names = Array.from({ length: Math.min(atOnce, count - done) }, (_, index) => `name ${done + index}`)
    const renamed = names.map((name) => writer.peer.request('conversation/rename', { conversationId, name }))
    await Promise.allSettled(renamed)
  }
}

/** Has the model answer, which runs on. A turn that still runs takes the message later. */
function ask(writer: TestClient, conversationId: string): Promise<unknown> {
  const input = [{ type: 'text' as const, text: 'go' }]
  return writer.request('conversation/sendMessage', { conversationId, input, when: 'queue' })
}

interface Scene {
  readonly server: SpawnedServer
  readonly writer: TestClient
  readonly followers: readonly Follower[]
  readonly conversationId: string
}

/** Brings everybody back, from where they were, to the end of the last turn. */
async function settle({ server, writer, followers, conversationId }: Scene): Promise<void> {
  const watched = await writer.watch(conversationId)
  await watched.until(({ core }) => core.turn === null && (core.inbox.length === 0 || core.inboxPaused))
  for (const follower of followers) await follower.join(await server.socket(), 'cursor')
  const { seq } = watched.state.core
  await Promise.all(followers.map((follower) => follower.reached(seq)))
}

interface Seen {
  readonly witness: Witness
  readonly followers: readonly Follower[]
}

/** Folds the log and compares the state at every event with what the followers had there. */
function expectOneTruth(place: ProcessPlace, conversationId: string, { witness, followers }: Seen): void {
  expect(witness.faults).toEqual([])
  let state = initialState(conversationId)
  let compared = 0
  const differing: number[] = []
  for (const line of place.logLines(conversationId).slice(1)) {
    if (decodeLine(line) === null) continue
    const envelope: Envelope = { conversationId, ...JSON.parse(line) }
    state = reduce(state, envelope)
    const seen = witness.digests.get(envelope.seq)
    if (seen === undefined) continue
    compared += 1
    if (seen !== digestOf(state, envelope.crc)) differing.push(envelope.seq)
  }
  expect(differing).toEqual([])
  expect(witness.digests.size).toBe(compared)
  expect(compared).toBeGreaterThan(size.events * 0.8)
  for (const { seq } of followers) expect(seq).toBe(state.core.seq)
}
