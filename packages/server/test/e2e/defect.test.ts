import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startModelServer } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { expectShownIsStored, takeOver } from './support/after-kill.ts'
import { fullAccess, processPlace } from './support/spawned-server.ts'

describe('a defect in the server', { timeout: 60_000 }, () => {
  it.each(['throw', 'reject'])(
    '(%s) ends it with code 70, its commands too, and the conversation can be resumed',
    async (kind) => {
      const call = { name: 'shell', arguments: { command: 'echo started; sleep 600' } }
      await using model = await startModelServer([{ calls: [call] }])
      await using place = processPlace(model.url)
      const server = place.spawn(undefined, { PARLEY_TEST_DEFECT: kind }, fullAccess)
      const client = await server.connect()
      const { conversationId } = await client.request('conversation/create', {
        cwd: place.cwd,
        sandbox: 'danger-full-access',
      })
      const shown = await client.watch(conversationId)
      await shown.send('go')
      await shown.until(({ core }) => Object.values(core.open).find(({ output }) => output === 'started\n'))
      server.child.kill('SIGUSR1')
      expect(await server.exited).toEqual({ code: 70, signal: null })
      await place.noDescendants()
      expectShownIsStored(place, shown)
      expect(readFileSync(join(place.root, '.parley/logs/server.log'), 'utf8')).toContain('defect: Error: injected')
      const { watched } = await takeOver(place, conversationId)
      expect(watched.state.core).toMatchObject({ turn: null, open: {} })
    },
  )
})
