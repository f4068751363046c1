import { startModelServer } from '@parley/testkit'
import { isLong } from '@parley/testkit/long-runs'
import { describe, expect, it } from 'vitest'
import { namesIn } from '../engine/support/test-server.ts'
import { takeOver } from './support/after-kill.ts'
import { fullAccess, processPlace } from './support/spawned-server.ts'

describe('a server killed while it takes files back', { timeout: 60_000 }, () => {
  const files = ['a.txt', 'b.txt', 'c.txt']
  const change = {
    calls: [{ name: 'shell', arguments: { command: 'for f in a b c; do echo new > $f.txt; done' } }],
  }

  const kills = [
    ['rename', 1, 'after', ['old', 'new', 'new']],
    ['rename', 3, 'after', ['old', 'old', 'old']],
  ] as const
  const furtherKills = [
    ['writeTemp', 2, 'before', ['new', 'new', 'new']],
    ['rename', 2, 'before', ['old', 'new', 'new']],
  ] as const
  it.each([...kills, ...(isLong ? furtherKills : [])])(
    'at %s %i (%s) says how far it came, and is ended or undone by another',
    async (operation, nth, when, contents) => {
      await using model = await startModelServer([change, { text: 'ok' }])
      await using place = processPlace(model.url)
      for (const name of files) place.write(name, 'old\n')
      const server = place.spawn({ operation, match: '', nth, when }, {}, fullAccess)
      const client = await server.connect()
      const { conversationId } = await client.request('conversation/create', {
        cwd: place.cwd,
        sandbox: 'danger-full-access',
      })
      const shown = await client.watch(conversationId)
      await shown.send('go')
      await shown.turnEnded()
      const { hash } = await client.request('conversation/rewind/plan', { conversationId, to: 1 })
      await client.request('conversation/rewind', { conversationId, to: 1, hash }).catch(() => undefined)
      await server.exited
      const read = () => files.map((name) => place.read(name).trim())
      expect(read()).toEqual(contents)

      const { watched, client: next, summary } = await takeOver(place, conversationId)
      expect(summary.recovered).toContain('started, end unknown: Take back 3 files')
      const item = watched.items().find(({ type }) => type === 'fileChange')
      expect(item).toMatchObject({ status: 'unknown', rewind: { to: 1 } })
      expect(namesIn(place.cwd)).toEqual(files)
      const begun = place
        .logLines(conversationId)
        .find((line) => line.includes('"type":"item.started"') && line.includes('"rewind"'))
      const undone = { conversationId, to: Number(/"seq":(\d+)/.exec(begun ?? '')?.[1]) - 1 }
      const again = await next.request('conversation/rewind/plan', { conversationId, to: 1 })
      expect(again.left).toEqual([])
      if (again.changes.length > 0)
        await next.request('conversation/rewind', { conversationId, to: 1, hash: again.hash })
      expect(read()).toEqual(['old', 'old', 'old'])
      const undo = await next.request('conversation/rewind/plan', undone)
      await next.request('conversation/rewind', { ...undone, hash: undo.hash })
      expect(read()).toEqual(['new', 'new', 'new'])
    },
  )
})
