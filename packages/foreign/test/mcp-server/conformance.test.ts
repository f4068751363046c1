import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { startProgram } from '@parley/testkit'
import { beforeAll, expect, test } from 'vitest'
import { makeWorld, tokenProxy } from './world.ts'

const manifest = createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')
const suite = join(dirname(manifest), 'dist', 'index.js')

/** Scenarios for what this server offers; docs/mcp-server.md says why the others do not apply. */
const applicable = [
  'server-initialize',
  'ping',
  'tools-list',
  'server-sse-multiple-streams',
  'dns-rebinding-protection',
]

let summary = ''

beforeAll(async () => {
  await using world = await makeWorld()
  await using proxy = await tokenProxy(await world.listen())
  const command = [process.execPath, suite, 'server', '--url', proxy.url, '--suite', 'all'] as const
  await using run = startProgram(command, { cwd: world.cwd, env: world.env, timeoutMs: 60_000 })
  summary = (await run.result).stdout
}, 60_000)

test.each(applicable)('the conformance scenario %s passes', (scenario) => {
  expect(summary).toMatch(new RegExp(`✓ ${scenario}: [1-9]\\d* passed, 0 failed`))
})

test('the suite has no scenario that is neither passed nor listed as not applicable', async () => {
  const { readFile } = await import('node:fs/promises')
  const docs = await readFile(new URL('../../../../docs/mcp-server.md', import.meta.url), 'utf8')
  const scenarios = [...summary.matchAll(/^[✓✗~] ([\w-]+): /gm)].map(([, name = '']) => name)
  expect(scenarios.length).toBeGreaterThan(25)
  expect(scenarios.filter((name) => !docs.includes(`\`${name}\``))).toEqual([])
})
