import { appendFileSync, readFileSync, statSync } from 'node:fs'
import { nodeFiles } from '@parley/journal'
import { hasNats, startNats, tempDirectory } from '@parley/testkit'
import { expect, test } from 'vitest'
import { openStore } from '../../src/store/index.ts'
import { copyIn } from './copy-in.ts'

const isLong = process.env['PARLEY_LONG_TESTS'] === '1'

test.skipIf(!hasNats || !isLong)(
  'a store of three servers loses no line when each is killed in turn',
  { timeout: 120_000 },
  async () => {
    await using servers = await startNats({ servers: 3 })
    const options = { servers: servers.addresses, replicas: 3, files: nodeFiles }
    await using one = await openStore(options)
    await using world = await tempDirectory()
    // One in each stream, at least.
    const copies = Array.from({ length: 40 }, (_, n) => copyIn(world.path, 'a', `conversation-${n}`))
    const shipments = await Promise.all(copies.map((copy) => one.take(copy, 'new')))
    for (const victim of [0, 1, 2]) {
      await servers.kill(victim)
      await Promise.all(
        copies.map(async ({ log }, n) => {
          appendFileSync(log, `without server ${victim}\n`)
          const { size } = statSync(log)
          shipments[n]?.wrote(size)
          await shipments[n]?.acknowledged(size)
        }),
      )
      await servers.start(victim)
    }
    await using two = await openStore(options)
    for (const copy of copies) {
      const other = copyIn(world.path, 'b', copy.conversationId)
      await two.copies.refresh(other)
      expect(readFileSync(other.log, 'utf8')).toBe(readFileSync(copy.log, 'utf8'))
    }
  },
)

test.skipIf(!hasNats || !isLong)(
  'a store whose servers elect is opened when they have, and is not said to have lost anything',
  { timeout: 120_000 },
  async () => {
    await using servers = await startNats({ servers: 3 })
    const options = { servers: servers.addresses, replicas: 3, files: nodeFiles }
    await (await openStore(options))[Symbol.asyncDispose]()
    for (const victim of [0, 1, 2]) {
      await servers.kill(victim)
      await using store = await openStore(options)
      expect(await store.lists.row('anything')).toBeNull()
      await servers.start(victim)
    }
  },
)
