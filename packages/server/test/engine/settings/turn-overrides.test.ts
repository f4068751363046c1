import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import type { ApprovalPolicy, SandboxMode, Settings } from '@parley/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Talk, type TestPlace, testPlace } from '../support/test-server.ts'

const texts = (count: number) => scriptedModel(...Array.from({ length: count }, () => ({ text: 'ok' })))

function message({ watched: { conversationId } }: Talk, overrides: object) {
  return { conversationId, input: [{ type: 'text' as const, text: 'hi' }], overrides }
}

function folders({ cwd, root }: TestPlace) {
  const [sub, side, secret] = [join(cwd, 'sub'), join(root, 'side'), join(root, '.ssh')]
  for (const folder of [sub, side, secret]) mkdirSync(folder, { recursive: true })
  return { sub, side, secret, missing: join(root, 'missing'), home: join(root, '.parley') }
}

describe('settings of a message', () => {
  it.each([
    ['before the first message', 0],
    ['later', 1],
  ])('change folder, writable folders and network, %s', async (_, earlier) => {
    await using place = testPlace()
    const { sub, side } = folders(place)
    const ceiling = { maxSandbox: 'danger-full-access', allowNever: false, profile: null } as const
    const talk = await place.talk({ model: texts(4), ceiling })
    for (let n = 0; n < earlier; n++) {
      await talk.watched.send('earlier')
      await talk.watched.turnEnded()
    }
    await talk.client.request(
      'conversation/sendMessage',
      message(talk, { cwd: sub, writableRoots: [side], network: true }),
    )
    await talk.watched.until(
      ({ core }) => core.counts.turns === earlier + 1 && core.lastTurn !== null && core.turn === null,
    )
    const { meta, settings } = talk.watched.state.core
    expect([meta.cwd, settings.writableRoots, settings.network]).toEqual([sub, [side], true])
    await talk.client.request('conversation/sendMessage', message(talk, { writableRoots: [], network: false }))
    await talk.watched.until(({ core }) => core.counts.turns === earlier + 2 && core.turn === null)
    const narrowed = talk.watched.state.core.settings
    expect([narrowed.writableRoots, narrowed.network]).toEqual([[], false])
  })

  it('are those of a resume, too', async () => {
    await using place = testPlace()
    const { side } = folders(place)
    const { client, watched } = await place.talk({ model: texts(1) })
    await watched.send('hi')
    await watched.turnEnded()
    const { conversationId } = watched
    const resumed = await client.request('conversation/resume', {
      conversationId,
      overrides: { writableRoots: [side] },
    })
    expect(resumed.settings.writableRoots).toEqual([side])
    const refused = await client.refused('conversation/resume', { conversationId, overrides: { network: true } })
    expect(refused).toMatchObject({ code: 'aboveCeiling', message: expect.stringContaining('network_access') })
  })

  it('are never above the ceiling, whatever a client asks for, and are all refused with one that is', async () => {
    await using place = testPlace()
    const { sub, side, secret, missing, home } = folders(place)
    const anyFolder = fc.constantFrom(place.cwd, sub, side, secret, missing, home)
    const anyOverrides = fc.record(
      {
        cwd: anyFolder,
        writableRoots: fc.uniqueArray(anyFolder, { maxLength: 2 }),
        network: fc.boolean(),
        sandbox: fc.constantFrom<SandboxMode>('read-only', 'workspace-write', 'danger-full-access'),
        approvalPolicy: fc.constantFrom<ApprovalPolicy>('untrusted', 'on-failure', 'on-request', 'never'),
      },
      { requiredKeys: [] },
    )
    const talk = await place.talk({ model: texts(60) })
    await fc.assert(
      fc.asyncProperty(anyOverrides, async (overrides) => {
        const before = talk.watched.state.core
        const answer = await talk.client
          .request('conversation/sendMessage', message(talk, overrides))
          .catch((error: unknown) => error)
        if (answer instanceof Error) {
          expect(talk.watched.state.core).toEqual(before)
          return
        }
        await talk.watched.until(({ core }) => core.counts.turns > before.counts.turns && core.turn === null)
        const { meta, settings } = talk.watched.state.core
        expectWithin(settings)
        for (const closed of [secret, missing, home])
          expect([meta.cwd, ...settings.writableRoots]).not.toContain(closed)
      }),
      { numRuns: 40 },
    )
  })
})

function expectWithin({ sandbox, network = false }: Settings): void {
  expect(sandbox).not.toBe('danger-full-access')
  expect(network).toBe(false)
}
