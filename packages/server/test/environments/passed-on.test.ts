import type { TestClient, Watched } from '@parley/engine/test/support/test-client.ts'
import type { Item } from '@parley/protocol'
import { hasFullSandbox, noFullSandbox, waitUntil } from '@parley/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startCuttableLink } from './support/cuttable-link.ts'
import { type FarMachine, startFarMachine } from './support/far-machine.ts'
import { calling, placeFor, shell } from './support/far-talk.ts'
import { longNap } from './support/long-nap.ts'
import { resumeIn, type There, talkIn } from './support/next-server.ts'
import { openWay } from './support/open-way.ts'

let machine: FarMachine

beforeAll(async () => {
  machine = await startFarMachine()
})

afterAll(() => machine[Symbol.asyncDispose]())

/** Prints a line, waits for a file, prints another one, waits again and ends with 3. Leaves a line in `ran` for each start. */
const steps = (name: string) =>
  `echo ${name} >> ran; echo one; until [ -e ${name}-2 ]; do sleep 0.05; done; echo two; until [ -e ${name}-3 ]; do sleep 0.05; done; exit 3`

describe('what runs in an environment when its server ends', () => {
  it('goes on under the next server: a call, a command of the user, and one in the background', async (context) => {
    context.skip(!hasFullSandbox, noFullSandbox)
    await using place = placeFor(machine.newFolder())
    const model = calling(
      shell(steps('server'), { background: true, tell_when: 'two', timeout_s: 600 }),
      shell(steps('build')),
    )
    const first = await talkIn(place, model)
    await first.watched.send('go')
    await first.watched.decide('approved')
    const background = await first.watched.until(({ core }) => Object.keys(core.background ?? {})[0])
    await first.watched.decide('approved')
    const own = await runOwn(first, steps('own'))
    await first.watched.until((_, events) => saidIn(events, 'one\n') === 2)
    // One that has printed nothing yet would print nothing anew for the next server.
    await readUntil(first, background, 'one')
    await first.server.close()
    for (const name of ['server', 'build', 'own']) place.far.write(`${name}-2`, '')

    const next = await resumeIn(place, first.watched.conversationId)
    await next.watched.until(({ core }) => core.background?.[background])
    await readUntil(next, background, 'two')
    await next.watched.until((_, events) => saidIn(events, 'two\n') === 2)
    for (const name of ['server', 'build', 'own']) place.far.write(`${name}-3`, '')
    await next.watched.turnEnded()
    await next.watched.until(({ core }) => core.background === undefined && core.open[own] === undefined)

    expect(place.far.read('ran').split('\n').toSorted()).toEqual(['', 'build', 'own', 'server'])
    const ended = { exitCode: 3, output: { head: 'one\ntwo\n' } }
    const decision = { verdict: 'ask', answer: 'approved', limits: { network: false } }
    expect(itemsOf(next.watched, 'shellCommand')).toMatchObject([ended])
    expect(itemsOf(next.watched, 'commandExecution')).toMatchObject([
      { background: true, backgroundStart: { stdin: 'pipe', tellWhen: 'two', timeoutMs: 600_000 } },
      { ...ended, decision },
    ])
    const notices = itemsOf(next.watched, 'notice').map((item) => 'code' in item && item.code)
    expect(notices.toSorted()).toEqual(['backgroundEnded', 'backgroundPrinted'])
    expect(next.watched.state.core.lastTurn).toMatchObject({ outcome: 'completed' })
  })

  it('is found by a next server that does not reach its machine at first', async (context) => {
    context.skip(!hasFullSandbox, noFullSandbox)
    await using way = await openWay(machine.port)
    await using place = placeFor({ ...machine.newFolder(), port: way.port })
    const first = await talkIn(place, calling(shell(steps('build'))))
    await first.watched.send('go')
    await first.watched.decide('approved')
    await first.watched.until((_, events) => saidIn(events, 'one\n') === 1)
    await first.server.close()
    for (const step of ['build-2', 'build-3']) place.far.write(step, '')
    way.hangUp(2)

    const next = await resumeIn(place, first.watched.conversationId)
    await next.watched.turnEnded()
    expect(itemsOf(next.watched, 'commandExecution')).toMatchObject([{ exitCode: 3, output: { head: 'one\ntwo\n' } }])
  })

  it('has its line told once under the next server to a user who waits for it, and none that was there before', async () => {
    await using place = placeFor(machine.newFolder())
    const first = await talkIn(place, calling(shell(steps('server'), { background: true })))
    await first.watched.send('go')
    await first.watched.decide('approved')
    const background = await first.watched.until(({ core }) => Object.keys(core.background ?? {})[0])
    await first.watched.turnEnded()
    const own = await runOwn(first, steps('own'))
    await first.watched.until((_, events) => saidIn(events, 'one\n') === 1)
    await readUntil(first, background, 'one')
    for (const itemId of [background, own]) {
      const ids = { conversationId: first.watched.conversationId, itemId }
      await first.client.request('conversation/process/tellWhen', { ...ids, pattern: 'o' })
    }
    await first.server.close()
    for (const name of ['server', 'own']) place.far.write(`${name}-2`, '')

    const next = await resumeIn(place, first.watched.conversationId)
    const printed = () =>
      itemsOf(next.watched, 'notice').filter((item) => 'code' in item && item.code === 'backgroundPrinted')
    await next.watched.until(() => printed().length === 2)
    for (const name of ['server', 'own']) place.far.write(`${name}-3`, '')
    await next.watched.until(({ core }) => core.background === undefined && core.open[own] === undefined)
    expect(printed().map(({ text }) => text)).toEqual(['two', 'two'])
    expect(next.watched.state.core.waits).toBeUndefined()
  })

  it('has what was typed as hidden hidden under the next server, which was never told', async () => {
    await using place = placeFor(machine.newFolder())
    const command = 'echo up; read line; until [ -e go ]; do sleep 0.05; done; echo "it was $line"'
    const first = await talkIn(place, calling(shell(command, { background: true })))
    await first.watched.send('go')
    await first.watched.decide('approved')
    const itemId = await first.watched.until(({ core }) => Object.keys(core.background ?? {})[0])
    await first.watched.turnEnded()
    await readUntil(first, itemId, 'up')
    const { conversationId } = first.watched
    const secret = 'just a word of mine'
    await first.client.request('conversation/process/write', { conversationId, itemId, text: secret, hidden: true })
    await first.server.close()
    place.far.write('go', '')

    const next = await resumeIn(place, conversationId)
    const { text } = await next.watched.until(() => itemsOf(next.watched, 'notice').find((item) => 'typed' in item))
    expect(text).toMatch(/^\[secret:typed:\w+\]$/)
    expect(await readUntil(next, itemId, `it was ${text}`)).not.toContain(secret)
    await next.watched.until((_, events) => endsIn(events)[0])
    expect(JSON.stringify(next.watched.events)).not.toContain(secret)
  })

  it('is stopped by the next server where its limits are narrower now', async () => {
    await using place = placeFor(machine.newFolder())
    const first = await talkIn(place, calling(shell('echo up; exec sleep 600', { background: true })))
    await first.watched.send('go')
    await first.watched.decide('approved')
    const background = await first.watched.until(({ core }) => Object.keys(core.background ?? {})[0])
    await first.watched.turnEnded()
    await readUntil(first, background, 'up')
    await first.server.close()

    const next = await resumeIn(place, first.watched.conversationId, { sandbox: 'read-only' })
    const ended = await next.watched.until((_, events) => endsIn(events)[0])
    expect(ended).toEqual({
      itemId: background,
      stopped: true,
      exitCode: expect.any(Number),
      durationMs: expect.any(Number),
    })
    expect(itemsOf(next.watched, 'notice')).toContainEqual(expect.objectContaining({ code: 'backgroundStopped' }))
  })

  it('is stopped by the next server where it may have had the network, which that server does not allow', async () => {
    await using place = placeFor(machine.newFolder())
    const first = await talkIn(place, calling(shell('echo up; exec sleep 600')), { network: true })
    await first.watched.send('go')
    await first.watched.decide('approved')
    await first.watched.until((_, events) => saidIn(events, 'up\n') === 1)
    await first.server.close()

    const next = await resumeIn(place, first.watched.conversationId)
    await next.watched.turnEnded()
    expect(itemsOf(next.watched, 'commandExecution')).toMatchObject([
      { status: 'interrupted', failure: { code: 'limitsNarrowed' } },
    ])
  })

  it('is unknown to the next server that cannot reach the machine, which ends it there once it can', async () => {
    await using place = placeFor(machine.newFolder())
    await using link = await startCuttableLink(place.far.port)
    const nap = longNap()
    const first = await talkIn(place, calling(shell(`echo up; ${nap.command}`)), { port: link.port })
    await first.watched.send('go')
    await first.watched.decide('approved')
    await first.watched.until((_, events) => saidIn(events, 'up\n') === 1)
    link.cut()
    await first.server.close()

    const next = await resumeIn(place, first.watched.conversationId, { linkPatienceMs: 50 })
    await next.watched.turnEnded()
    expect(itemsOf(next.watched, 'commandExecution')).toMatchObject([{ status: 'unknown' }])
    expect(nap.isOn()).toBe(true)
    link.mend()
    await waitUntil(() => runOwn(next, 'true').then(() => !nap.isOn()), { what: 'the end of the command' })
  })

  it('takes what the next server types into it', async () => {
    await using place = placeFor(machine.newFolder())
    const first = await talkIn(place, calling(shell('echo up; read line; echo "heard $line"', { background: true })))
    await first.watched.send('go')
    await first.watched.decide('approved')
    const background = await first.watched.until(({ core }) => Object.keys(core.background ?? {})[0])
    await first.watched.turnEnded()
    await first.server.close()

    const call = { name: 'write_process', args: { id: background, text: 'hello' } }
    const next = await resumeIn(place, first.watched.conversationId, {}, calling(call))
    await next.watched.send('more')
    await next.watched.decide('approved')
    await next.watched.until((_, events) => endsIn(events)[0])
    expect(await readUntil(next, background, 'heard hello')).toContain('up')
  })
})

async function runOwn({ client, watched: { conversationId } }: There, command: string): Promise<string> {
  return (await client.request('conversation/runShell', { conversationId, command })).itemId
}

/** Returns how many items have shown an output by deltas. */
function saidIn(events: Watched['events'], text: string): number {
  return events.filter(({ event }) => event.type === 'item.delta' && event.text.endsWith(text)).length
}

/** Returns the ends of background commands that notices say. */
function endsIn(events: Watched['events']) {
  return events.flatMap(({ event }) =>
    event.type === 'item.completed' && event.item.type === 'notice' ? (event.item.ended ?? []) : [],
  )
}

async function readUntil({ client, watched }: { client: TestClient; watched: Watched }, itemId: string, text: string) {
  const ids = { conversationId: watched.conversationId, itemId }
  for (let changedFrom = 0; ; ) {
    const read = await client.request('conversation/process/read', { ...ids, changedFrom, waitMs: 10_000 })
    const lines = read.lines.map((line) => line.text)
    if (lines.includes(text)) return lines
    changedFrom = read.totalBytes
  }
}

function itemsOf({ events }: Watched, type: Item['type']): Item[] {
  return events.flatMap(({ event }) =>
    event.type === 'item.completed' && event.item.type === type ? [event.item] : [],
  )
}
