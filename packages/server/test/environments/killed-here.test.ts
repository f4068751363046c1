import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { hasFullSandbox, noFullSandbox, startModelServer, waitUntil } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { takeOver } from '../e2e/support/after-kill.ts'
import { type ProcessPlace, processPlace } from '../e2e/support/spawned-server.ts'
import type { Failpoint } from '../fixtures/failpoints.ts'
import { boxSection } from './support/config-for.ts'
import { type FarMachine, startFarMachine } from './support/far-machine.ts'
import { inBox, patch, shell } from './support/far-talk.ts'

/** A server of its own process, killed at `killAt` in a conversation that works on the far machine. */
async function begin(place: ProcessPlace, far: FarMachine, killAt?: Failpoint) {
  place.write('../.parley/config.toml', `${place.read('../.parley/config.toml')}${boxSection(far)}`)
  const server = place.spawn(killAt)
  const client = await server.connect()
  const { conversationId } = await client.request('conversation/create', { cwd: place.cwd, ...inBox })
  const watched = await client.watch(conversationId)
  await watched.send('go')
  await watched.decide('approved')
  return { server, conversationId }
}

/** As the wire has it. */
function answer({ name, args }: ReturnType<typeof shell>) {
  return { calls: [{ name, arguments: args as Record<string, unknown> }] }
}

describe('a server killed here', { timeout: 60_000 }, () => {
  it('before it recorded what became of a far patch looks there at the next resume', async () => {
    await using far = await startFarMachine()
    far.write('a', '1\n')
    const lines = ['*** Update File: a', '-1', '+2', '*** Add File: b', '+b']
    await using model = await startModelServer([answer(patch(...lines))])
    await using place = processPlace(model.url)
    place.write('a', 'here\n')
    const killAt = { operation: 'append', match: 'Success. Updated', nth: 1, when: 'before' }
    const { server, conversationId } = await begin(place, far, killAt)
    await server.exited
    const { watched } = await takeOver(place, conversationId)
    const item = watched.items().find(({ type }) => type === 'fileChange')
    expect(item).toMatchObject({
      status: 'unknown',
      failure: { code: 'endUnknown', message: 'All of its files are as the patch leaves them.' },
      text: expect.stringContaining(`${far.work}/a: as the patch leaves it`),
    })
    expect([far.read('a'), far.read('b'), place.read('a')]).toEqual(['2\n', 'b\n', 'here\n'])
  })

  it('while a command runs there does not run it again', async (context) => {
    context.skip(!hasFullSandbox, noFullSandbox)
    await using far = await startFarMachine()
    await using model = await startModelServer([answer(shell('echo ran >> log; sleep 600'))])
    await using place = processPlace(model.url)
    const { server, conversationId } = await begin(place, far)
    await waitUntil(() => existsSync(join(far.work, 'log')), { what: 'the command' })
    server.child.kill('SIGKILL')
    await server.exited
    const { watched } = await takeOver(place, conversationId)
    expect(watched.items().find(({ type }) => type === 'commandExecution')).toMatchObject({ status: 'unknown' })
    expect(far.read('log')).toBe('ran\n')
  })
})
