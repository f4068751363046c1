import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { canRefuseCalls, noLocks, startModelServer } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { expectShownIsStored, takeOver } from '../e2e/support/after-kill.ts'
import { processPlace } from '../e2e/support/spawned-server.ts'

describe.runIf(canRefuseCalls())('a home whose kernel refuses', { timeout: 60_000 }, () => {
  it('locks says so, for a new conversation and for one that is there, and works once it has them', async () => {
    await using model = await startModelServer([{ text: 'A' }, { text: 'B' }])
    await using place = processPlace(model.url)
    const refusal = {
      code: 'storageFailed',
      message: expect.stringMatching(/cannot lock .*\.lock: its file system has no locks\)\. Set PARLEY_HOME/),
      detail: { errno: 'ENOLCK' },
    }
    const first = await place.spawnWithout(noLocks).connect()
    expect(await first.refused('conversation/create', { cwd: place.cwd })).toMatchObject(refusal)
    await first.peer.close()

    const { client, watched } = await place.talk()
    const { conversationId } = watched
    await watched.send('one')
    await watched.turnEnded()
    await client.peer.close()
    const second = await place.spawnWithout(noLocks).connect()
    expect(await second.refused('conversation/resume', { conversationId })).toMatchObject(refusal)
    expect((await second.request('conversation/resume', { conversationId, readOnly: true })).readOnly).toBe(true)
    const third = await place.spawn().connect()
    expect(await third.request('conversation/resume', { conversationId })).toMatchObject({ readOnly: false })
  })

  it('syncs pauses the turn before anything runs, says so, and the next server has what was shown', async () => {
    await using model = await startModelServer([
      { calls: [{ name: 'shell', arguments: { command: 'echo ran >> ran' } }] },
    ])
    await using place = processPlace(model.url)
    const server = place.spawnWithout({ call: 'fdatasync', errno: 'EIO' })
    const client = await server.connect()
    const { conversationId } = await client.request('conversation/create', { cwd: place.cwd })
    const shown = await client.watch(conversationId)
    await shown.send('go')
    expect(await client.notice(({ code }) => code === 'storageFailed')).toMatchObject({ errno: 'EIO', passing: true })
    expect(await client.request('conversation/interrupt', { conversationId })).toEqual({ interrupted: true })
    await client.peer.close()
    await server.exited
    expect([model.requests.length, existsSync(join(place.cwd, 'ran'))]).toEqual([0, false])
    expectShownIsStored(place, shown)
    const { watched, started } = await takeOver(place, conversationId)
    expect([started, watched.state.core.turn]).toEqual([[], null])
  })
})
