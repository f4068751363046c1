import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { TestClient, Watched } from '@parley/engine/test/support/test-client.ts'
import { checkLine } from '@parley/journal'
import type { ConversationEvent } from '@parley/protocol'
import { type ModelServer, startModelServer } from '@parley/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { namesIn } from '../engine/support/test-server.ts'
import type { Failpoint } from '../fixtures/failpoints.ts'
import { expectShownIsStored, takeOver } from './support/after-kill.ts'
import { type ProcessPlace, processPlace } from './support/spawned-server.ts'

/** Promise 2 asks for 200; `PARLEY_LONG_TESTS=1` runs them. */
const runs = process.env['PARLEY_LONG_TESTS'] === '1' ? 200 : 4
const atOnce = 4
const seed = 20250102

const killPoints: readonly Failpoint[] = fc.sample(
  fc.record({
    operation: fc.constant('later'),
    match: fc.constant(''),
    nth: fc.integer({ min: 1, max: 60 }),
    when: fc.constantFrom('before', 'after', 'half'),
  }),
  { seed, numRuns: runs },
)

const patch = '*** Begin Patch\n*** Update File: a.txt\n@@\n-old\n+new\n*** End Patch'
const script = [
  {
    text: 'Both at once.',
    calls: [
      { name: 'shell', arguments: { command: 'echo x >> ran-1; sleep 0.05' } },
      { name: 'apply_patch', arguments: { patch } },
      { name: 'shell', arguments: { command: 'echo x >> ran-2' } },
    ],
  },
  { text: 'Done.' },
]

/** Says yes to whatever is asked, and lets a parked turn go on, until no turn is open. */
function sayYes(client: TestClient, { conversationId, until }: Watched): Promise<unknown> {
  const answered = new Set<string>()
  return until(({ core }, events) => {
    for (const { id: approvalId, state } of Object.values(core.approvals)) {
      if (state !== 'pending' || answered.has(approvalId)) continue
      answered.add(approvalId)
      client.request('approval/decide', { conversationId, approvalId, decision: 'approved' }).catch(() => undefined)
    }
    const isWaiting =
      core.turn?.parked === true && Object.values(core.approvals).every(({ state }) => state === 'approved')
    if (isWaiting && !answered.has('parked')) {
      answered.add('parked')
      client.request('conversation/continue', { conversationId }).catch(() => undefined)
    }
    return core.turn === null && (core.lastTurn !== null || events.length === 0)
  })
}

const runsOf = (place: ProcessPlace, name: string) =>
  existsSync(join(place.cwd, name)) ? place.read(name).split('\n').length - 1 : 0

/** Whatever has an effect was allowed and recorded as begun, on disk, before. */
function expectAllowed(place: ProcessPlace, conversationId: string): void {
  const events = place
    .logLines(conversationId)
    .filter((line) => checkLine(Buffer.from(line)).state === 'sound')
    .map((line): ConversationEvent | undefined => JSON.parse(line).event)
  const begun = new Map(
    events.flatMap((event) => (event?.type === 'execution.started' ? [[event.itemId, event.decidedBy] as const] : [])),
  )
  const yes = new Set(
    events.flatMap((event) =>
      event?.type === 'approval.decided' && event.decision === 'approved' ? [event.approvalId] : [],
    ),
  )
  const isAllowed = (text: string) => {
    const started = events.find((event) => event?.type === 'item.started' && event.item.text.includes(text))
    const decidedBy = started?.type === 'item.started' ? begun.get(started.item.id) : undefined
    return decidedBy !== undefined && 'approvalId' in decidedBy && yes.has(decidedBy.approvalId)
  }
  for (const name of ['ran-1', 'ran-2'])
    if (runsOf(place, name) > 0) expect([name, isAllowed(`>> ${name}`)]).toEqual([name, true])
  if (place.read('a.txt') === 'new\n') expect(isAllowed('*** Begin Patch')).toBe(true)
}

async function killAndResume(killAt: Failpoint): Promise<'killed' | 'survived'> {
  await using model: ModelServer = await startModelServer(script)
  await using place = processPlace(model.url)
  place.write('a.txt', 'old\n')
  const server = place.spawn(killAt)
  const client = await server.connect()
  const { conversationId } = await client.request('conversation/create', { cwd: place.cwd })
  const shown = await client.watch(conversationId)
  const sent = shown.send('go').then(() => sayYes(client, shown))
  const end = await Promise.race([server.exited, sent.catch(() => server.exited)])
  if (server.child.exitCode === null && server.child.signalCode === null) {
    server.child.kill('SIGKILL')
    await server.exited
  }
  await place.noDescendants()
  expectShownIsStored(place, shown)
  expectAllowed(place, conversationId)

  const { client: next, watched } = await takeOver(place, conversationId)
  await sayYes(next, watched)
  expect([runsOf(place, 'ran-1') <= 1, runsOf(place, 'ran-2') <= 1]).toEqual([true, true])
  expect(['old\n', 'new\n']).toContain(place.read('a.txt'))
  expect(namesIn(place.cwd).filter((name) => name.endsWith('.tmp'))).toEqual([])
  expectAllowed(place, conversationId)
  expect(watched.state.core).toMatchObject({ turn: null, open: {}, approvals: {} })
  return typeof end === 'object' && end !== null && 'signal' in end ? 'killed' : 'survived'
}

describe(`a server killed at ${runs} random points between the model's request and the end of its calls`, {
  timeout: 60_000,
}, () => {
  it('has run nothing twice, nothing without a yes, and lost nothing it showed', { timeout: runs * 4000 }, async () => {
    const left = [...killPoints]
    const ends: string[] = []
    const worker = async () => {
      for (let point = left.pop(); point !== undefined; point = left.pop()) {
        const killAt = point
        ends.push(
          await killAndResume(killAt).catch((cause: unknown) =>
            Promise.reject(new Error(`at ${JSON.stringify(killAt)}`, { cause })),
          ),
        )
      }
    }
    await Promise.all(Array.from({ length: atOnce }, worker))
    expect(ends.filter((end) => end === 'killed').length).toBeGreaterThan(runs / 2)
  })
})
