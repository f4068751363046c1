import { nodeFiles } from '@parley/journal'
import { tempDirectory } from '@parley/testkit'
import { expect, test, vi } from 'vitest'
import { emptyMark } from '../src/log/ack-mark.ts'
import { type ShipPorts, shipLog } from '../src/log/ship-log.ts'
import { copyIn } from './copy-in.ts'

test.each([
  ['at once where the store answers', null, 1],
  ['by the end of its lease where the store is away, so that its server need not wait for it', 60_000, 0],
])('a conversation that is closed is given up %s', async (_how, awayMs, asked) => {
  await using world = await tempDirectory()
  const copy = copyIn(world.path, 'a', crypto.randomUUID())
  const release = vi.fn<() => Promise<void>>().mockResolvedValue(undefined)
  const claim = { epoch: 1, lapses: 0, holds: async () => true, release }
  // narrowed: what a log of which nothing is sent asks for
  const ports = { files: nodeFiles, name: 'nats://a', claim, nodes: { awayMs }, isOwn: false } as unknown as ShipPorts
  await shipLog(copy, emptyMark('store'), ports).close()
  expect(release).toHaveBeenCalledTimes(asked)
})
