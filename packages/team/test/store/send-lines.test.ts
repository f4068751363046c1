import { createHash } from 'node:crypto'
import { appendFileSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LocalCopy } from '@parley/engine/shared-store'
import { type Files, nodeFiles, StorageError } from '@parley/journal'
import { hasNats, type NatsServers, startNats, tempDirectory } from '@parley/testkit'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openStore } from '../../src/store/index.ts'
import { copyIn } from './copy-in.ts'

describe.skipIf(!hasNats)('a shared store', () => {
  let servers: NatsServers
  beforeAll(async () => {
    servers = await startNats()
  })
  afterAll(() => servers[Symbol.asyncDispose]())

  test('takes a line after an error of the disk that passes', async () => {
    let failures = 0
    const failing: Files = {
      ...nodeFiles,
      open(path, mode) {
        if (mode !== 'read' || failures === 0) return nodeFiles.open(path, mode)
        failures -= 1
        throw new StorageError({ code: 'EMFILE', operation: 'open', path })
      },
    }
    await using one = await openStore({ servers: servers.addresses, replicas: 1, files: failing })
    await using world = await tempDirectory()
    const copy = copyIn(world.path, 'a', newId())
    const shipment = await one.take(copy, 'new')
    failures = 2
    shipment.wrote(append(copy, 'first\n'))
    await shipment.acknowledged(6)
    expect([failures, shipment.trouble]).toEqual([0, null])
    await shipment.close()
  })

  test('takes lines that name more side files than a header holds', async () => {
    await using one = await openStore({ servers: servers.addresses, replicas: 1, files: nodeFiles })
    await using world = await tempDirectory()
    const copy = copyIn(world.path, 'a', newId())
    mkdirSync(copy.sideFiles, { recursive: true })
    const hashes = Array.from({ length: 1000 }, (_, n) => createHash('sha256').update(`file ${n}`).digest('hex'))
    for (const [n, hash] of hashes.entries()) writeFileSync(join(copy.sideFiles, `sha256-${hash}`), `file ${n}`)
    const shipment = await one.take(copy, 'new')
    shipment.wrote(append(copy, `${hashes.map((hash) => `sha256:${hash}`).join(' ')}\n`))
    await shipment.acknowledged(statSync(copy.log).size)
    await shipment.close()

    const other = copyIn(world.path, 'b', copy.conversationId)
    await one.copies.refresh(other)
    expect(readdirSync(other.sideFiles)).toEqual(readdirSync(copy.sideFiles))
    expect(await one.copies.compare(other)).toMatchObject({ stored: { sideFiles: 1000 }, badFiles: [] })
  })
})

test.skipIf(!hasNats)('a conversation that is closed while the store is away is free once that is back', async () => {
  await using servers = await startNats()
  const options = { servers: servers.addresses, replicas: 1, files: nodeFiles }
  await using world = await tempDirectory()
  await using one = await openStore(options)
  await using two = await openStore(options)
  const copy = copyIn(world.path, 'a', newId())
  const shipment = await one.take(copy, 'new')
  shipment.wrote(append(copy, 'first\n'))
  await shipment.acknowledged(6)
  servers.signal(0, 'SIGSTOP')
  await vi.waitFor(() => expect(one.awayMs).not.toBeNull(), 5000)
  await shipment.close()
  servers.signal(0, 'SIGCONT')
  await vi.waitFor(async () => expect(await two.holder(copy.conversationId)).toBeNull(), 10_000)
  const next = await two.take(copyIn(world.path, 'b', copy.conversationId), 'stored')
  await next.close()
})

const newId = () => '01890000-0000-7000-8000-'.concat(Math.random().toString(16).slice(2).padEnd(12, '0').slice(0, 12))

/** Returns the size of the log. */
function append({ log }: LocalCopy, text: string): number {
  appendFileSync(log, text)
  return statSync(log).size
}
