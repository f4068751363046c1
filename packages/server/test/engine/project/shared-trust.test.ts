import { randomBytes } from 'node:crypto'
import { createRedaction } from '@parley/redaction'
import { tempDirectory } from '@parley/testkit'
import { expect, it } from 'vitest'
import { sharedTrust } from '../../../src/engine/project/shared-trust.ts'

const name = JSON.stringify(['ada/laptop', 'laptop:/srv/app'])

it('takes no decision that was changed, or written for another name, or by a server of another store', async () => {
  await using home = await tempDirectory()
  const kept = new Map<string, string>()
  const answers = {
    read: async (of: string) => kept.get(of) ?? null,
    write: async (of: string, text: string) => void kept.set(of, text),
  }
  const server = (key: Uint8Array) => {
    const redaction = createRedaction({ home: home.path, env: {} })
    redaction.useKey(key)
    return sharedTrust({ store: { answers }, redaction })
  }
  const key = randomBytes(32)
  await server(key)?.write(name, '{"verdict":"declined"}', 'replace')
  expect(await server(key)?.read(name)).toBe('{"verdict":"declined"}')
  expect(await server(randomBytes(32))?.read(name)).toBe(null)

  const [[at, sealed] = ['', '']] = kept
  const other = JSON.stringify(['ada/laptop', 'laptop:/srv/other'])
  kept.set(at.replace('/srv/app', '/srv/other'), sealed)
  expect(await server(key)?.read(other)).toBe(null)
  for (const forged of [sealed.replace('declined', 'trusted'), sealed.slice(sealed.indexOf('\n')), '', 'x']) {
    kept.set(at, forged)
    expect(await server(key)?.read(name)).toBe(null)
  }
  kept.clear()
  expect(await server(key)?.read(name)).toBe(null)
})

it('is none without a store', () => {
  expect(sharedTrust({ redaction: { seal: () => '' } })).toBe(null)
})
