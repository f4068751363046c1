import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { nodeFiles, STORE_OLDER } from '@parley/journal'
import { createRedaction } from '@parley/redaction'
import { tempDirectory } from '@parley/testkit'
import { expect, it } from 'vitest'
import type { SharedAnswers } from '../../src/ports/shared-store.ts'
import { sharedTrust } from '../../src/project/shared-trust.ts'

const name = JSON.stringify(['ada/laptop', 'laptop:/srv/app'])

const declined = '{"verdict":"declined"}'
const trusted = '{"verdict":"trusted"}'

/** Store of decisions that anybody may write to, and servers of it with homes of their own. */
function openWorld(home: string) {
  const kept = new Map<string, string>()
  const answers: SharedAnswers = {
    read: async (of) => kept.get(of) ?? null,
    change: async (of, next) => {
      const text = next(kept.get(of) ?? null)
      if (text !== null) kept.set(of, text)
    },
  }
  const key = randomBytes(32)
  return {
    kept,
    server(at: string, its: Uint8Array = key) {
      const redaction = createRedaction({ home, env: {} })
      redaction.useKey(its)
      const shared = sharedTrust({
        store: { answers, name: 'nats://test' },
        redaction,
        home: join(home, at),
        files: nodeFiles,
      })
      if (shared === null) throw new Error('there is a store')
      return shared
    },
  }
}

it('takes no decision that was changed, or written for another name, or by a server of another store', async () => {
  await using home = await tempDirectory()
  const { kept, server } = openWorld(home.path)
  await server('a').write(name, declined, 'replace')
  expect(await server('a').read(name)).toBe(declined)
  expect(await server('a', randomBytes(32)).read(name)).toBe(null)

  const [[at, sealed] = ['', '']] = kept
  const other = JSON.stringify(['ada/laptop', 'laptop:/srv/other'])
  kept.set(at.replace('/srv/app', '/srv/other'), sealed)
  expect(await server('a').read(other)).toBe(null)
  const forgeries = [
    sealed.replace('declined', 'trusted'),
    sealed.replace('\n1\n', '\n2\n'),
    sealed.slice(sealed.indexOf('\n')),
    '',
    'x',
  ]
  for (const forged of forgeries) {
    kept.set(at, forged)
    expect(await server('b').read(name)).toBe(null)
    await expect(server('a').read(name)).rejects.toMatchObject({ code: STORE_OLDER })
  }
})

it('takes no older decision that was put back, and none that was removed, once a newer one was seen', async () => {
  await using home = await tempDirectory()
  const { kept, server } = openWorld(home.path)
  await server('a').write(name, trusted, 'replace')
  const [[at, old] = ['', '']] = kept
  await server('b').write(name, declined, 'replace')
  expect(await server('c').read(name)).toBe(declined)
  kept.set(at, old)
  for (const home of ['b', 'c']) await expect(server(home).read(name)).rejects.toMatchObject({ code: STORE_OLDER })
  // One that has not seen the newer one cannot know.
  expect([await server('a').read(name), await server('d').read(name)]).toEqual([trusted, trusted])
  kept.delete(at)
  await expect(server('b').read(name)).rejects.toMatchObject({ code: STORE_OLDER })

  await server('c').write(name, declined, 'replace')
  for (const home of ['a', 'b', 'c', 'd']) expect(await server(home).read(name)).toBe(declined)
  await server('a').write(name, trusted, 'first')
  expect(await server('b').read(name)).toBe(declined)
})

it('is none without a store', () => {
  expect(sharedTrust({ redaction: { seal: () => '' }, home: '/nowhere', files: nodeFiles })).toBe(null)
})
