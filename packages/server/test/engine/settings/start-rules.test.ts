import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rulesInReach } from '@parley/engine/src/policy/read-rules.ts'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { afterAll, describe, expect, it } from 'vitest'
import { testPlace } from '../support/test-server.ts'

const root = realpathSync(mkdtempSync(join(tmpdir(), 'parley-reach-')))
afterAll(() => rmSync(root, { recursive: true }))
const [work, home] = ['work', 'home'].map((name) => join(root, name)) as [string, string]
for (const folder of [join(work, '.parley'), home]) mkdirSync(folder, { recursive: true })
for (const file of [join(work, 'p.toml'), join(work, '.parley', 'p.toml'), join(home, 'p.toml')])
  writeFileSync(file, '')
symlinkSync(join(work, 'p.toml'), join(home, 'link.toml'))

const told = (file: string | undefined, sandbox: 'read-only' | 'workspace-write' | 'danger-full-access') =>
  rulesInReach(file, { roots: [work], sandbox, home }).length > 0

describe('a policy file that commands can write to', () => {
  it.each([
    ['in the working folder', join(work, 'p.toml'), 'workspace-write', true],
    ['behind a link that leads there', join(home, 'link.toml'), 'workspace-write', true],
    ['where nothing may be written', join(work, 'p.toml'), 'read-only', false],
    ['where everything may be', join(work, 'p.toml'), 'danger-full-access', false],
    ['in the protected folder', join(work, '.parley', 'p.toml'), 'workspace-write', false],
    ['elsewhere', join(home, 'p.toml'), 'workspace-write', false],
    ['nowhere', undefined, 'workspace-write', false],
  ] as const)('(%s: %s in %s) gives a warning: %s', (_, file, sandbox, expected) => {
    expect(told(file, sandbox)).toBe(expected)
  })
})

it('opening a conversation warns about a writable policy file, also one that its log names', async () => {
  await using place = testPlace()
  place.write('p.toml', '')
  const { server, summary, watched } = await place.talk(
    { model: scriptedModel({ text: 'a' }) },
    { policyFile: 'p.toml' },
  )
  const warned = expect.arrayContaining([expect.stringContaining('p.toml lies in a folder that commands may write to')])
  expect(summary.warnings).toEqual(warned)
  await watched.send('hi')
  await watched.turnEnded()
  await server.close()
  const { conversationId } = watched
  const resumed = await (await place.start().connect()).request('conversation/resume', { conversationId })
  expect(resumed.warnings).toEqual(warned)
})
