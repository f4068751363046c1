import { startModelServer } from '@parley/testkit'
import { expect, it } from 'vitest'
import { expectShownIsStored, takeOver } from './support/after-kill.ts'
import { processPlace } from './support/spawned-server.ts'

const long = { text: 'word '.repeat(4000) }

it('a compaction that kill -9 tears is as if it had not begun', { timeout: 60_000 }, async () => {
  await using model = await startModelServer([long, { text: 'Half of a summary', hang: 'mid' }])
  await using place = processPlace(model.url)
  const server = place.spawn()
  const client = await server.connect()
  const { conversationId } = await client.request('conversation/create', { cwd: place.cwd })
  const shown = await client.watch(conversationId)
  await shown.send('one')
  await shown.turnEnded()
  await client.request('conversation/compact', { conversationId })
  await shown.until(({ core }) => Object.values(core.open).find(({ item }) => item.text.startsWith('Half')))
  server.child.kill('SIGKILL')
  await server.exited
  expectShownIsStored(place, shown)
  const { watched, model: later } = await takeOver(place, conversationId)
  expect(watched.state.core).toMatchObject({ turn: null, open: {}, lastTurn: { outcome: 'interrupted' } })
  const title = 'Not compacted: interrupted'
  expect(watched.items().at(-1)).toMatchObject({ type: 'contextCompaction', status: 'interrupted', title, text: '' })
  await watched.send('two')
  await watched.turnEnded()
  expect(later.requests[0]?.entries.map(({ kind }) => kind)).toEqual(['user', 'user', 'response', 'user'])
})
