import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isLong } from '@parley/testkit/long-runs'
import { expect, it } from 'vitest'
import { scriptedModel } from '../support/scripted-model.ts'
import { testPlace } from '../support/test-server.ts'

/** One folder of so many files is a list whose spread into a call would overflow the stack. */
const files = isLong ? 200_000 : 50_001

it('a folder of too many files is worked in, and a notice and a rewind say that commands are not covered', async () => {
  await using place = testPlace()
  const folder = join(place.cwd, 'many')
  mkdirSync(folder)
  for (let number = 0; number < files; number += 1) writeFileSync(join(folder, String(number)), '')
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
