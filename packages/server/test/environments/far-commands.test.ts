import { setTimeout as delay } from 'node:timers/promises'
import { type Answer, scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import type { ModelRequest } from '@parley/models'
import { waitUntil } from '@parley/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FarMachine, startFarMachine } from './support/far-machine.ts'
import { calling, placeFor, shell } from './support/far-talk.ts'
import { type LongNap, longNap } from './support/long-nap.ts'

let machine: FarMachine

beforeAll(async () => {
  machine = await startFarMachine()
})

afterAll(() => machine[Symbol.asyncDispose]())

const begun = (nap: LongNap) => waitUntil(nap.isOn, { what: 'the far process' })

/** Waits for output that comes over a link; each look waits a millisecond longer than the one before. */
const maxLooks = 100

const gone = (nap: LongNap) => waitUntil(() => !nap.isOn(), { what: 'the end of the far process' })

describe('a command on the far machine', () => {
  it('is stopped there, with all that it started, when it is interrupted here', async () => {
    await using place = placeFor(machine.newFolder())
    const nap = longNap()
    const { watched, client } = await place.talk(calling(shell(`setsid sh -c "${nap.command}; true" & wait`)))
    await watched.send('go')
    await watched.decide('approved')
    await begun(nap)
    await client.request('conversation/interrupt', { conversationId: watched.conversationId })
    await watched.turnEnded()
    expect(watched.items().find(({ type }) => type === 'commandExecution')).toMatchObject({ status: 'interrupted' })
    await gone(nap)
  })

  it('is stopped there at its time limit', async () => {
    await using place = placeFor(machine.newFolder())
    const nap = longNap()
    const { watched } = await place.talk(calling(shell(nap.command, { timeout_ms: 400 })))
    await watched.send('go')
    await watched.decide('approved')
    await watched.turnEnded()
    expect(watched.items()[1]).toMatchObject({ status: 'failed', failure: { code: 'timedOut' } })
    await gone(nap)
  })

  it('that cannot start there says why', async () => {
    await using place = placeFor(machine.newFolder())
    const { watched } = await place.talk(calling(shell('echo hi', { workdir: 'nowhere' })))
    await watched.send('go')
    await watched.turnEnded()
    expect(watched.items()[1]).toMatchObject({
      status: 'failed',
      failure: {
        code: 'invalidToolCall',
        message: expect.stringContaining(`${place.far.work}/nowhere is not there`),
      },
    })
  })

  it('goes on in the background there, is read here, and ends with the conversation', async () => {
    await using place = placeFor(machine.newFolder())
    const nap = longNap()
    const command = `echo serving; exec ${nap.command}`
    // A look is a request with all that came before it: without a pause between them they pile up by the thousand.
    const readOutput = async ({ entries }: ModelRequest): Promise<Answer> => {
      const told = JSON.stringify(entries.filter(({ kind }) => kind === 'result'))
      if (told.includes('serving') || model.requests.length > maxLooks) return { text: 'ok' }
      const [, id] = /as process (i-\w+)/.exec(told) ?? []
      await begun(nap)
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
    await begun(nap)
    await server.close()
    await gone(nap)
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
