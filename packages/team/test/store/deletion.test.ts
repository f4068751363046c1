import { appendFileSync } from 'node:fs'
import { nodeFiles } from '@parley/journal'
import { hasNats, startNats, tempDirectory } from '@parley/testkit'
import { expect, test, vi } from 'vitest'
import { connectStore } from '../../src/store/connection/connect-store.ts'
import { prepareStore } from '../../src/store/connection/prepare-store.ts'
import { openStore } from '../../src/store/index.ts'
import { objectsOf } from '../../src/store/log/objects.ts'
import { leftovers, removesFrom } from '../../src/store/remove-conversation.ts'
import { copyIn } from './copy-in.ts'

type RemovePorts = Parameters<typeof removesFrom>[0]

test('a conversation that could not be deleted is there as before, for lists, too', async () => {
  const info = vi.fn<() => Promise<never>>().mockRejectedValue(new Error('no answer'))
  const remove = vi.fn<() => Promise<void>>()
  // narrowed: what a removal asks for
  const ports = {
    connected: { name: 'nats://a', admin: { streams: { info } }, streams: { publish: async () => ({ seq: 1 }) } },
    prepared: { rows: { delete: remove }, owners: { get: async () => null } },
    nodes: { own: 'one', lapses: 0, awayMs: null },
  }
  const removal = removesFrom(ports as unknown as RemovePorts)
  await expect(removal.remove('a')).rejects.toThrow('no answer')
  expect(remove).not.toHaveBeenCalled()
  info.mockResolvedValue({ state: {} } as never)
  await expect(removal.remove('a')).rejects.toMatchObject({ name: 'UnfinishedDeletionError' })
  expect(remove).toHaveBeenCalledWith('a')
})

test.skipIf(!hasNats)(
  'what a dead server has left of a deleted conversation goes with the next look, and nothing else',
  async () => {
    await using servers = await startNats()
    const connected = await connectStore({ servers: servers.addresses })
    const prepared = await prepareStore(connected, 1)
    await using one = await openStore({ servers: servers.addresses, replicas: 1, files: nodeFiles })
    await using two = await openStore({ servers: servers.addresses, replicas: 1, files: nodeFiles })
    await using world = await tempDirectory()
    const begun = async () => {
      const copy = copyIn(world.path, 'a', crypto.randomUUID())
      const shipment = await one.take(copy, 'new')
      shipment.describe({ title: 'go' })
      appendFileSync(copy.log, 'first\n')
      shipment.wrote(6)
      await shipment.acknowledged(6)
      // Content whose message never came.
      await objectsOf(prepared.objects, connected.admin, copy.conversationId).put('content-b', () => Buffer.from('old'))
      return { id: copy.conversationId, shipment }
    }
    const [dead, whole, held, kept] = [await begun(), await begun(), await begun(), await begun()]
    for (const { shipment } of [dead, whole, kept]) await shipment.close()
    for (const { id } of [dead, held]) await prepared.rows.delete(id)
    await two.remove(whole.id)
    await two.finishDeletions()

    const left = await leftovers(connected.admin)
    expect([dead, whole, held, kept].map(({ id }) => left.has(id))).toEqual([false, false, true, true])
    expect(await two.lists.row(kept.id)).toEqual({ title: 'go' })
    const messages = (await connected.admin.streams.info('OBJ_parley_objects')).state.messages
    expect(messages).toBe(4)
    await held.shipment.close()
    await connected.connection.close()
  },
)
