import { appendFileSync, cpSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { nodeFiles } from '@parley/journal'
import { hasNats, startNats, tempDirectory } from '@parley/testkit'
import { expect, test } from 'vitest'
import { openStore } from '../../src/store/index.ts'
import { copyIn } from './copy-in.ts'

test.skipIf(!hasNats)(
  'a store that comes back from a copy of its folder has all it had then, and goes on',
  async () => {
    await using servers = await startNats()
    await using world = await tempDirectory()
    const options = { servers: servers.addresses, replicas: 1, files: nodeFiles }
    const copy = copyIn(world.path, 'a', 'conversation')
    {
      await using store = await openStore(options)
      const shipment = await store.take(copy, 'new')
      shipment.describe({ title: 'A' })
      appendFileSync(copy.log, 'first\n')
      shipment.wrote(6)
      await shipment.acknowledged(6)
      await shipment.close()
    }
    await servers.kill(0)
    const backup = join(world.path, 'backup')
    cpSync(servers.folder(0), backup, { recursive: true })
    rmSync(servers.folder(0), { recursive: true })
    cpSync(backup, servers.folder(0), { recursive: true })
    await servers.start(0)

    await using store = await openStore(options)
    const other = copyIn(world.path, 'b', copy.conversationId)
    const shipment = await store.take(other, 'stored')
    expect(readFileSync(other.log, 'utf8')).toBe('first\n')
    appendFileSync(other.log, 'second\n')
    shipment.wrote(statSync(other.log).size)
    await shipment.acknowledged(statSync(other.log).size)
    await shipment.close()
    expect((await store.copies.compare(other)).stored).toMatchObject({ lines: 2 })
  },
)

test.skipIf(!hasNats)('nothing in a store ends by its age, number or size, but for leases', async () => {
  await using servers = await startNats()
  await (await openStore({ servers: servers.addresses, replicas: 1, files: nodeFiles }))[Symbol.asyncDispose]()
  const connection = await connect({ servers: [...servers.addresses] })
  const { streams } = await jetstreamManager(connection)
  const limited: string[] = []
  let count = 0
  for await (const { config } of streams.list()) {
    count++
    const { max_age, max_msgs, max_bytes, retention } = config
    const isUnlimited = [max_age, max_msgs, max_bytes].every((limit) => limit <= 0) && retention === 'limits'
    if (!isUnlimited) limited.push(config.name)
  }
  await connection.close()
  expect(limited).toEqual(['KV_parley_nodes'])
  expect(count).toBe(14)
})
