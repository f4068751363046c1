import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasFullSandbox, noFullSandbox } from '@parley/testkit'
import { expect, it } from 'vitest'
import { calling, farPlace, patch, shell } from './support/far-talk.ts'

it('a rewind takes back what a patch changed on another machine, and says that commands are not covered', {
  timeout: 60_000,
}, async (context) => {
  context.skip(!hasFullSandbox, noFullSandbox)
  await using place = await farPlace()
  const { far } = place
  writeFileSync(join(far.work, 'a.txt'), 'one\n')
  const model = calling(
    patch('*** Update File: a.txt', '@@', '-one', '+two', '*** Add File: new.txt', '+x'),
    shell('touch made'),
  )
  const { client, watched, summary } = await place.talk(model)
  const { conversationId } = summary
  await watched.send('go')
  await watched.decide('approved')
  await watched.until(({ core }) =>
    Object.values(core.approvals).find(({ state, kind }) => state === 'pending' && kind === 'command'),
  )
  await watched.decide('approved')
  await watched.turnEnded()
  expect(far.read('a.txt')).toBe('two\n')
  const plan = await client.request('conversation/rewind/plan', { conversationId, to: 1 })
  expect(plan.changes.map(({ path, kind }) => `${kind} ${path}`).sort()).toEqual(['delete new.txt', 'update a.txt'])
  expect(plan.notes).toEqual(['What commands change in the environment box is not covered, only patches are.'])
  await client.request('conversation/rewind', { conversationId, to: 1, hash: plan.hash })
  expect([far.read('a.txt'), existsSync(join(far.work, 'new.txt')), far.read('made')]).toEqual(['one\n', false, ''])
})
