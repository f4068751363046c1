import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDirectory } from '@parley/testkit'
import { expect, test } from 'vitest'
import { planRemoval } from '../../../src/commands/own-copy/removal-plan.ts'

test('logins of the keyring come first: a locked one is found before anything is forgotten', async () => {
  await using folder = await tempDirectory()
  const home = join(folder.path, '.parley')
  mkdirSync(home)
  const entries = {
    'provider/one': { keptIn: 'file', credential: { kind: 'key', key: 'k' } },
    'mcp/two': { keptIn: 'keyring', kind: 'mcp' },
    'provider/three': { keptIn: 'keyring', kind: 'key' },
    unknown: {},
  }
  writeFileSync(join(home, 'credentials.json'), JSON.stringify({ version: 1, entries }))
  const launch = { home, env: { HOME: folder.path, XDG_CACHE_HOME: folder.path } }
  const { logins } = planRemoval(launch, { servers: [], keepConversations: false })
  expect(logins).toEqual(['mcp/two', 'provider/three', 'provider/one'])
})
