import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Watched } from '@parley/engine/test/support/test-client.ts'
import { hasFullSandbox, noFullSandbox, waitUntil } from '@parley/testkit'
import { afterAll, beforeAll, describe, it } from 'vitest'
import type { Talk } from '../engine/support/test-server.ts'
import { type CuttableLink, startCuttableLink } from './support/cuttable-link.ts'
import { type FarMachine, startFarMachine } from './support/far-machine.ts'
import { calling, farPlace, heard, patch, placeFor, shell } from './support/far-talk.ts'

function commandsOf(watched: Watched) {
  return watched.items().flatMap((item) => (item.type === 'commandExecution' ? [item] : []))
}

/** The transcript says it. */
function noticed(watched: Watched, level: 'info' | 'warning'): Promise<unknown> {
  return watched.until(() =>
    watched.items().find((item) => item.type === 'notice' && item.code === 'link' && item.level === level),
  )
}

function noticesOf(watched: Watched): string[] {
  return watched.items().flatMap((item) => (item.type === 'notice' ? [item.title] : []))
}

/** Says yes to each question as soon as it is asked, until the turn has ended. */
async function approveUntilEnd({ client, watched }: Talk): Promise<void> {
  const { conversationId } = watched
  const answered = new Set<string>()
  while (true) {
    const next = await watched.until(({ core }) => {
      if (core.turn === null && core.lastTurn !== null) return 'ended'
      return Object.values(core.approvals).find(({ id, state }) => state === 'pending' && !answered.has(id))?.id
    })
    if (next === 'ended') return
    answered.add(next)
    await client.request('approval/decide', { conversationId, approvalId: next, decision: 'approved' })
  }
}

/** Counts the steps of a turn. Between two of them everything has to go over the link. */
function stepsOf({ events }: Watched): number {
  const types = ['turn.started', 'approval.requested', 'execution.started']
  return events.filter(({ event }) =>
    event.type === 'item.completed' ? event.item.type === 'commandExecution' : types.includes(event.type),
  ).length
}

/**
 * Cuts the link every 240 ms for 30 ms, but at most once after each step. By the clock alone a slow machine would lose
 * three connections during one request: the link then gives the request up, and the turn fails.
 */
function breakAgainAndAgain(link: CuttableLink, watched: Watched): Disposable {
  let beat = 0
  let broken = 0
  const beats = setInterval(() => {
    beat += 1
    const steps = stepsOf(watched)
    if (beat % 8 === 1) link.mend()
    if (beat % 8 !== 0 || steps === broken) return
    link.cut()
    broken = steps
  }, 30)
  return { [Symbol.dispose]: () => clearInterval(beats) }
}

const untilExists = (path: string) => waitUntil(() => existsSync(path), { what: path })

let machine: FarMachine

beforeAll(async () => {
  machine = await startFarMachine()
})

afterAll(() => machine[Symbol.asyncDispose]())

// Most of their time is waiting. The limit is for hangs: starting an exec-server again can take 20 s on a busy machine.
describe.concurrent('the link of an environment', { timeout: 60_000 }, () => {
  it('comes back without loss or repeat of what a command said meanwhile', async ({ expect, skip }) => {
    skip(!hasFullSandbox, noFullSandbox)
    await using place = placeFor(machine.newFolder())
    const { far } = place
    await using link = await startCuttableLink(far.port)
    const script = [
      'seq 1 3000',
      'until [ -e go ]; do sleep 0.02; done',
      'seq 3001 90000',
      'touch said',
      'until [ -e end ]; do sleep 0.02; done',
      'seq 90001 93000; exit 3',
    ].join('\n')
    const { watched } = await place.talk(calling(shell(script)), { port: link.port })
    await watched.send('go')
    await watched.decide('approved')
    await watched.until(() => heard(watched).includes('\n3000\n'))
    link.cut()
    await noticed(watched, 'warning')
    far.write('go', '')
    await untilExists(join(far.work, 'said'))
    link.mend()
    await noticed(watched, 'info')
    far.write('end', '')
    await watched.turnEnded()
    const [item] = commandsOf(watched)
    if (item?.output?.file === undefined) throw new Error('no output is kept')
    expect(item).toMatchObject({ status: 'failed', exitCode: 3 })
    const kept = join(place.here.path(watched.conversationId, 'sideFiles'), item.output.file.replace(':', '-'))
    const numbers = Array.from({ length: 93_000 }, (_, index) => `${index + 1}\n`)
    expect(readFileSync(kept, 'utf8') === numbers.join('')).toBe(true)
    expect(noticesOf(watched)).toEqual([
      expect.stringMatching(/^The link to environment box is lost \(.*\)\. It is being tried again\.$/),
      expect.stringMatching(/^The link to environment box is back after .* s\.$/),
    ])
  })

  it('breaks again and again, and each command still runs exactly once', async ({ expect, skip }) => {
    skip(!hasFullSandbox, noFullSandbox)
    await using place = placeFor(machine.newFolder())
    const { far } = place
    await using link = await startCuttableLink(far.port)
    const numbers = [1, 2, 3, 4, 5, 6]
    const commands = numbers.map((number) => shell(`echo ${number} >> log; seq ${number}000 ${number}999`))
    const talk = await place.talk(calling(...commands), { port: link.port })
    {
      using _ = breakAgainAndAgain(link, talk.watched)
      await talk.watched.send('go')
      await approveUntilEnd(talk)
    }
    expect(far.read('log')).toBe(numbers.map((number) => `${number}\n`).join(''))
    expect(commandsOf(talk.watched)).toMatchObject(
      numbers.map(() => ({ status: 'completed', exitCode: 0, output: { totalBytes: 5000 } })),
    )
    expect(link.connections).toBeGreaterThan(2)
  })

  it('stays away for too long: the command is unknown, is not run again, and the turn goes on', async ({
    expect,
    skip,
  }) => {
    skip(!hasFullSandbox, noFullSandbox)
    await using place = await farPlace()
    const { far } = place
    const model = calling(shell('echo begun; touch began; sleep 600'))
    const { watched } = await place.talk(model, { linkPatienceMs: 300 })
    await watched.send('go')
    await watched.decide('approved')
    await untilExists(join(far.work, 'began'))
    await watched.until(() => heard(watched).includes('begun'))
    await far.kill()
    await watched.turnEnded()
    const modelText = expect.stringMatching(
      /^how it ended is unknown: the link to environment box was lost: .*look before running it again\nbegun\n$/,
    )
    expect(commandsOf(watched)).toMatchObject([{ status: 'unknown', failure: { code: 'endUnknown' }, modelText }])
    expect(watched.items().at(-1)).toMatchObject({ type: 'agentMessage', text: 'done' })
    expect(model.requests[1]?.entries.at(-1)).toMatchObject({ text: modelText })
    expect(noticesOf(watched).at(-1)).toMatch(
      /^The link to environment box is gone: .* How the command there ended is unknown\.$/,
    )
    expect(watched.events.filter(({ event }) => event.type === 'execution.started')).toHaveLength(1)
  })

  it('leads to an exec-server that knows nothing of the command: it is unknown at once', async ({ expect, skip }) => {
    skip(!hasFullSandbox, noFullSandbox)
    await using place = await farPlace()
    const { far } = place
    const { watched } = await place.talk(calling(shell('touch began; sleep 600'), shell('touch again')))
    await watched.send('go')
    await watched.decide('approved')
    await untilExists(join(far.work, 'began'))
    await far.kill()
    await far.startAgain()
    await watched.decide('approved')
    await watched.turnEnded()
    expect(commandsOf(watched)).toMatchObject([{ status: 'unknown' }, { status: 'completed' }])
    expect(far.read('again')).toBe('')
  })

  it('is away when the user interrupts: the command is stopped as well as can be, and is unknown', async ({
    expect,
    skip,
  }) => {
    skip(!hasFullSandbox, noFullSandbox)
    await using place = await farPlace()
    const { far } = place
    const { watched, client } = await place.talk(calling(shell('touch began; sleep 600')))
    await watched.send('go')
    await watched.decide('approved')
    await untilExists(join(far.work, 'began'))
    await far.kill()
    await noticed(watched, 'warning')
    await client.request('conversation/interrupt', { conversationId: watched.conversationId })
    await watched.turnEnded()
    expect(commandsOf(watched)).toMatchObject([{ status: 'unknown' }])
  })

  it('is cut while a patch is written: it is applied as a whole once the link is back', async ({ expect }) => {
    await using place = placeFor(machine.newFolder())
    const { far } = place
    far.write('a', '1\n')
    far.write('b', '1\n')
    await using link = await startCuttableLink(far.port)
    const lines = ['*** Update File: a', '-1', '+2', '*** Update File: b', '-1', '+2', '*** Add File: c', '+2']
    const { watched, client } = await place.talk(calling(patch(...lines)), { port: link.port })
    await watched.send('go')
    await watched.approval()
    link.cut()
    await client.notice(({ level }) => level === 'warning')
    await watched.decide('approved')
    link.mend()
    await watched.turnEnded()
    expect(watched.items().find(({ type }) => type === 'fileChange')).toMatchObject({ status: 'completed' })
    expect(['a', 'b', 'c'].map(far.read)).toEqual(['2\n', '2\n', '2\n'])
  })
})
