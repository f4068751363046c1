import { expect, test } from 'vitest'
import { execWorld } from '../e2e/exec-world.ts'

test('a server without memory ends the run with 70 and says so, and the conversation goes on in the next one', async () => {
  const long = { text: `begin ${'x'.repeat(1_500_000)}`, chunks: 20 }
  await using world = await execWorld({ steps: [long, { text: 'Here again.' }] })
  expect(await world.exec(['first'])).toMatchObject({ exitCode: 0 })
  const env = { ...world.env, NODE_OPTIONS: '--max-old-space-size=16' }
  const { exitCode, stderr } = await world.spawn(['resume', '--last', 'second'], { env })
  expect({ exitCode, stderr }).toEqual({
    exitCode: 70,
    stderr: expect.stringMatching(/ended by SIGABRT\. It said: FATAL ERROR: .*heap out of memory/),
  })
  const resumed = await world.exec(['resume', '--last', 'third'])
  expect(resumed).toMatchObject({ exitCode: 0, stdout: 'Here again.\n' })
  expect(world.model.requests.at(-1)?.text).toContain('begin xxx')
})
