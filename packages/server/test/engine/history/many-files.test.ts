import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { isLong } from '@parley/testkit/long-runs'
import { expect, it } from 'vitest'
import { testPlace } from '../support/test-server.ts'

/** Makes a folder with empty files. */
function fill(folder: string, files: number): void {
  mkdirSync(folder)
  for (let number = 0; number < files; number += 1) writeFileSync(join(folder, String(number)), '')
}

it('a folder of too many files is left out, and a notice says so; what commands change beside it is taken back', async () => {
  await using place = testPlace()
  const folder = join(place.cwd, 'many')
  // One list of so many files would overflow the stack when it is spread into a call.
  fill(folder, isLong ? 200_000 : 25_001)
  place.write('a.txt', 'one\n')
  const model = scriptedModel(
    { calls: [{ name: 'shell', args: { command: 'echo two > a.txt; echo x > many/1' } }] },
    { text: 'ok' },
  )
  const { client, watched, summary } = await place.talk({ model }, { sandbox: 'danger-full-access' })
  await watched.send('go')
  await watched.turnEnded()
  const notices = watched.items().filter((item) => item.type === 'notice')
  expect(notices).toMatchObject([{ code: 'changesNotCovered', title: expect.stringContaining(`in ${folder},`) }])
  const { conversationId } = summary
  const plan = await client.request('conversation/rewind/plan', { conversationId, to: 1 })
  expect(plan.notes).toEqual([notices[0]?.title])
  expect(plan.changes).toMatchObject([{ path: 'a.txt' }])
}, 120_000)

it('folders of too many files are worked in, and a notice and a rewind say that commands are not covered', async () => {
  await using place = testPlace()
  for (const name of ['one', 'two', 'three']) fill(join(place.cwd, name), 16_700)
  const calls = [{ name: 'shell', args: { command: 'echo two > a.txt' } }]
  const model = scriptedModel({ calls }, { calls }, { text: 'ok' })
  const { client, watched, summary } = await place.talk({ model }, { sandbox: 'danger-full-access' })
  await watched.send('go')
  await watched.turnEnded()
  const notices = watched.items().filter((item) => item.type === 'notice')
  expect(notices).toMatchObject([
    { code: 'changesNotCovered', title: expect.stringContaining('more than 50,000 files') },
  ])
  expect(place.read('a.txt')).toBe('two\n')
  const { conversationId } = summary
  const plan = await client.request('conversation/rewind/plan', { conversationId, to: 1 })
  expect(plan.notes).toEqual([notices[0]?.title])
}, 120_000)
