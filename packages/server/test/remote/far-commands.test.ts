import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isAlive, waitUntil } from '@parley/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ModelRequest } from '../../src/model/port.ts'
import { type Answer, scriptedModel } from '../engine/support/scripted-model.ts'
import { type FarMachine, startFarMachine } from './support/far-machine.ts'
import { calling, placeFor, shell } from './support/far-talk.ts'

let machine: FarMachine

beforeAll(async () => {
  machine = await startFarMachine()
})

afterAll(() => machine[Symbol.asyncDispose]())

/** The number of a process that wrote it down. */
function pidIn(path: string): Promise<number> {
  return waitUntil(() => existsSync(path) && Number(readFileSync(path, 'utf8')), { what: path })
}

/** What it says has some way to come; a look waits a millisecond longer than the one before. */
const maxLooks = 100

const gone = (pid: number) => waitUntil(() => !isAlive(pid), { what: 'the end of the far process' })

describe('a command on the far machine', () => {
  it('is stopped there, with all that it started, when it is interrupted here', async () => {
    await using place = placeFor(machine.newFolder())
    const { watched, client } = await place.talk(calling(shell('setsid sh -c "echo \\$\\$ > pid; sleep 600" & wait')))
    await watched.send('go')
    await watched.decide('approved')
    const pid = await pidIn(join(place.far.work, 'pid'))
    await client.request('conversation/interrupt', { conversationId: watched.conversationId })
    await watched.turnEnded()
    expect(watched.items().find(({ type }) => type === 'commandExecution')).toMatchObject({ status: 'interrupted' })
    await gone(pid)
  })

  it('is stopped there at its time limit', async () => {
    await using place = placeFor(machine.newFolder())
    const { watched } = await place.talk(calling(shell('echo $$ > pid; exec sleep 600', { timeout_ms: 400 })))
    await watched.send('go')
    await watched.decide('approved')
    const pid = await pidIn(join(place.far.work, 'pid'))
    await watched.turnEnded()
    expect(watched.items()[1]).toMatchObject({ status: 'failed', failure: { code: 'timedOut' } })
    await gone(pid)
  })

  it('that cannot start there says why', async () => {
    await using place = placeFor(machine.newFolder())
    const { watched } = await place.talk(calling(shell('echo hi', { workdir: 'nowhere' })))
    await watched.send('go')
    await watched.turnEnded()
    expect(watched.items()[1]).toMatchObject({
      status: 'failed',
      failure: { code: 'spawnFailed', message: expect.stringContaining(`${place.far.work}/nowhere`) },
    })
  })

  it('goes on in the background there, is read here, and ends with the conversation', async () => {
    await using place = placeFor(machine.newFolder())
    const command = 'echo $$ > pid; echo serving; exec sleep 600'
    const pidFile = join(place.far.work, 'pid')
    // A look is a request with all that came before it: without a pause between them they pile up by the thousand.
    const readOutput = async ({ entries }: ModelRequest): Promise<Answer> => {
      const told = JSON.stringify(entries.filter(({ kind }) => kind === 'result'))
      if (told.includes('serving') || model.requests.length > maxLooks) return { text: 'ok' }
      const [, id] = /as process (i-\w+)/.exec(told) ?? []
      await pidIn(pidFile)
      await delay(model.requests.length)
      model.script(readOutput)
      return { calls: [{ name: 'read_file', args: { path: `output:${id}` } }] }
    }
    const model = scriptedModel({ calls: [shell(command, { background: true })] }, readOutput)
    const { watched, server } = await place.talk(model)
    await watched.send('go')
    await watched.decide('approved')
    await watched.turnEnded()
    expect(watched.items()[1]).toMatchObject({ status: 'completed', background: true })
    expect(JSON.stringify(watched.items().map((item) => 'modelText' in item && item.modelText))).toContain('\\nserving')
    const pid = await pidIn(pidFile)
    expect(isAlive(pid)).toBe(true)
    await server.close()
    await gone(pid)
  })

  it("may be the user's own, without a question", async () => {
    await using place = placeFor(machine.newFolder())
    const { watched, client } = await place.talk(calling())
    const { conversationId } = watched
    const { itemId } = await client.request('conversation/runShell', { conversationId, command: 'pwd' })
    await watched.until((state) => state.window.find(({ item }) => item.id === itemId))
    expect(watched.items()).toMatchObject([
      { type: 'shellCommand', status: 'completed', output: { head: `${place.far.work}\n` } },
    ])
  })
})
