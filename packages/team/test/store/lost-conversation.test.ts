import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import type { LocalCopy } from '@parley/engine/shared-store'
import { nodeFiles, STORE_LOST } from '@parley/journal'
import { hasNats, type NatsServers, startNats, tempDirectory } from '@parley/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { placeOf } from '../../src/store/connection/layout.ts'
import { openStore } from '../../src/store/index.ts'
import { emptyMark, writeMark } from '../../src/store/log/ack-mark.ts'
import { copyIn } from './copy-in.ts'

describe.skipIf(!hasNats)('a shared store', () => {
  let servers: NatsServers
  beforeAll(async () => {
    servers = await startNats()
  })
  afterAll(() => servers[Symbol.asyncDispose]())

  const open = () => openStore({ servers: servers.addresses, replicas: 1, files: nodeFiles })

  test('is given back by a copy what it has lost, and then believed by those who had it as well', async () => {
    await using one = await open()
    await using two = await open()
    await using world = await tempDirectory()
    const copy = copyIn(world.path, 'a', newId())
    const other = copyIn(world.path, 'b', copy.conversationId)
    const shipment = await one.take(copy, 'new')
    for (const text of ['first\n', 'second\n']) {
      shipment.wrote(append(copy, text))
      await shipment.acknowledged(statSync(copy.log).size)
    }
    await two.copies.refresh(other)
    await shipment.close()
    const mark = readFileSync(copy.acked, 'utf8')
    append(copy, 'never acknowledged\n')
    await purge(servers, copy.conversationId)
    await expect(two.copies.refresh(other)).rejects.toMatchObject({ code: STORE_LOST })

    // One that is killed in the middle leaves the mark as it was, by which nothing is cut off here.
    const cut = await one.take(copy, 'own')
    expect(readFileSync(copy.log, 'utf8')).toBe('first\nsecond\n')
    cut.wrote(6)
    await cut.acknowledged(6)
    await cut.close()
    writeFileSync(copy.acked, mark)
    await expect(one.take(copy, 'stored')).rejects.toMatchObject({ code: STORE_LOST })

    const again = await one.take(copy, 'own')
    again.wrote(13)
    await again.acknowledged(13)
    await again.close()
    for (const [store, each] of [
      [one, copy],
      [two, other],
    ] as const) {
      const next = await store.take(each, 'stored')
      expect(readFileSync(each.log, 'utf8')).toBe('first\nsecond\n')
      await next.close()
    }
  })

  test('is given a copy of another store in several goes, and nothing of that is cut off', async () => {
    await using one = await open()
    await using world = await tempDirectory()
    const copy = copyIn(world.path, 'a', newId())
    const foreign = { ...emptyMark('another'), bytes: 13, sequence: 7 }
    append(copy, 'first\nsecond\n')
    for (const sizeBytes of [6, 13]) {
      writeMark(nodeFiles, copy.acked, foreign)
      const shipment = await one.take(copy, 'own')
      shipment.wrote(sizeBytes)
      await shipment.acknowledged(sizeBytes)
      await shipment.close()
    }
    expect(readFileSync(copy.log, 'utf8')).toBe('first\nsecond\n')
    expect(await one.copies.compare(copy)).toMatchObject({ stored: { bytes: 13 }, partsAtLine: null })
  })

  test('lists a new conversation once it has lines of it, and deletes one of which it has lost all', async () => {
    await using one = await open()
    await using world = await tempDirectory()
    const copy = copyIn(world.path, 'a', newId())
    const ids = async () => (await one.lists.rows()).map(({ conversationId }) => conversationId)
    const shipment = await one.take(copy, 'new')
    shipment.describe({ title: 'A' })
    await shipment.close()
    expect(await ids()).not.toContain(copy.conversationId)
    const again = await one.take(copy, 'new')
    again.describe({ title: 'A' })
    again.wrote(append(copy, 'first\n'))
    await again.acknowledged(6)
    expect(await ids()).toContain(copy.conversationId)
    await again.close()

    await purge(servers, copy.conversationId)
    await expect(one.take(copy, 'stored')).rejects.toMatchObject({ code: STORE_LOST })
    await one.remove(copy.conversationId)
    expect(await ids()).not.toContain(copy.conversationId)
  })
})

async function purge({ addresses }: NatsServers, conversationId: string): Promise<void> {
  const connection = await connect({ servers: [...addresses] })
  const { streams } = await jetstreamManager(connection)
  const { stream, subject } = placeOf(conversationId)
  await streams.purge(stream, { filter: subject })
  await connection.close()
}

const newId = () => '01890000-0000-7000-8000-'.concat(Math.random().toString(16).slice(2).padEnd(12, '0').slice(0, 12))

/** Returns the size of the log. */
function append({ log }: LocalCopy, text: string): number {
  appendFileSync(log, text)
  return statSync(log).size
}
