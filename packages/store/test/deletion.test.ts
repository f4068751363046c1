import { appendFileSync } from 'node:fs'
import { nodeFiles } from '@parley/journal'
import { hasNats, startNats, tempDirectory } from '@parley/testkit'
import { expect, test } from 'vitest'
import { openStore } from '../src/index.ts'
import { copyIn } from './copy-in.ts'

test.skipIf(!hasNats)('a conversation that could not be deleted is there as before, for lists, too', async () => {
  await using servers = await startNats()
  await using store = await openStore({ servers: servers.addresses, replicas: 1, files: nodeFiles })
  await using world = await tempDirectory()
  const copy = copyIn(world.path, 'a', crypto.randomUUID())
  const shipment = await store.take(copy, 'new')
  shipment.describe({ title: 'go' })
  appendFileSync(copy.log, 'first\n')
  shipment.wrote(6)
  await shipment.acknowledged(6)
  await shipment.close()
  const unreadable = () => {
    throw new Error('a line cannot be read')
  }
  await expect(store.remove({ ...copy, contents: { ...copy.contents, namedIn: unreadable } })).rejects.toThrow()
  expect(await store.row(copy.conversationId)).toEqual({ title: 'go' })
  expect(await store.refresh(copyIn(world.path, 'b', copy.conversationId))).toBe(true)
  await store.remove(copy)
  expect(await store.row(copy.conversationId)).toBeNull()
  expect(await store.refresh(copyIn(world.path, 'c', copy.conversationId))).toBe(false)
})
