import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { waitUntil, withoutSandboxLine } from '@parley/testkit'
import { expect, test } from 'vitest'
import { execWorld } from './exec-world.ts'

/** Throws in the program, and not in its server, as soon as there is a file of this name. */
const breaking = (path: string) => `
import { existsSync } from 'node:fs'
if (process.argv[1]?.endsWith('parley.mjs')) {
  const watching = setInterval(() => {
    if (!existsSync(${JSON.stringify(path)})) return
    clearInterval(watching)
    throw new Error('this is broken')
  }, 10)
  watching.unref()
}
`

test.each([
  ['--json', 'json'],
  ['--output-format=result', 'result'],
])('a bug in the middle of a run ends it with 70, a report and run.ended (%s)', async (flag, format) => {
  await using world = await execWorld({ steps: [{ hang: 'mid', text: 'half', chunks: 2 }] })
  const trigger = world.path('break')
  writeFileSync(world.path('bug.mjs'), breaking(trigger))
  const env = { ...world.env, NODE_OPTIONS: `--import=${world.path('bug.mjs')}` }
  await using run = world.start([flag, 'hi'], { env })
  const begun = () => (format === 'json' ? run.stdout().includes('item.delta') : world.model.requests.length > 0)
  await waitUntil(begun, { what: 'the request of the model' })
  writeFileSync(trigger, '')
  const result = await run.result
  const lines = result.lines().map((line) => JSON.parse(line))
  expect(result.exitCode).toBe(70)
  expect(lines.filter(({ type }) => type === 'run.ended')).toHaveLength(1)
  expect(lines.at(-1)).toMatchObject({ type: 'run.ended', exitCode: 70, failure: { code: 'internal' } })
  expect(withoutSandboxLine(result.stderr)).toMatch(
    /^parley: internal error, this is a bug\. A report is in .*crash-.*\n$/,
  )
  expect(readdirSync(join(world.env.PARLEY_HOME, 'logs')).filter((name) => name.startsWith('crash-'))).toHaveLength(1)
})
