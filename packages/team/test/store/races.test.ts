import { appendFileSync, readFileSync, statSync } from 'node:fs'
import { headers } from '@nats-io/transport-node'
import { HeldElsewhereError, type LocalCopy, type SharedStore } from '@parley/engine/shared-store'
import { nodeFiles } from '@parley/journal'
import { hasNats, type NatsServers, startNats, tempDirectory } from '@parley/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectStore } from '../../src/store/connection/connect-store.ts'
import { ownerSubject } from '../../src/store/connection/layout.ts'
import { publishNext } from '../../src/store/connection/publish-next.ts'
import { openStore } from '../../src/store/index.ts'
import { copyIn } from './copy-in.ts'

const isLong = process.env['PARLEY_LONG_TESTS'] === '1'

describe.skipIf(!hasNats)('three servers of a store', { timeout: 120_000 }, () => {
  let servers: NatsServers
  beforeAll(async () => {
    servers = await startNats({ servers: 3 })
  })
  afterAll(() => servers[Symbol.asyncDispose]())

  test('store one of the messages that are to follow the same one', async () => {
    await using one = await openStore({ servers: servers.addresses, replicas: 3, files: nodeFiles })
    const connections = await Promise.all(servers.addresses.map((address) => connectStore({ servers: [address] })))
    const subject = ownerSubject('race')
    let after = 0
    for (let race = 0; race < (isLong ? 1000 : 100); race++) {
      const sent = connections.map(({ streams }) =>
        publishNext(streams, { subject, bytes: 'nobody', headers: headers(), after }),
      )
      const stored = (await Promise.all(sent)).filter((sequence) => sequence !== null)
      expect([race, stored.length]).toEqual([race, 1])
      after = stored[0] ?? 0
    }
    await Promise.all(connections.map(({ connection }) => connection.close()))
    expect(await one.lists.row('race')).toBeNull()
  })

  test('give a conversation to one of the servers that take it in the same moment', async () => {
    const open = () => openStore({ servers: servers.addresses, replicas: 3, files: nodeFiles })
    await using one = await open()
    await using two = await open()
    await using three = await open()
    await using world = await tempDirectory()
    await Promise.all(
      Array.from({ length: isLong ? 200 : 10 }, async (_, race) => {
        const copies = ['a', 'b', 'c'].map((node) => copyIn(world.path, node, `race-${race}`))
        const read = copyIn(world.path, 'd', `race-${race}`)
        await write(one, copyIn(world.path, 'a', `race-${race}`), { kind: 'new', line: 'made' })
        const taken = await Promise.all(
          [one, two, three].map(async (store, node) => {
            const copy = copies[node] ?? read
            const isWritten = await write(store, copy, { kind: 'stored', line: `by ${node}` })
            return isWritten ? [`by ${node}`] : []
          }),
        )
        await two.copies.refresh(read)
        // One that came when the first had ended has written, too.
        const lines = readFileSync(read.log, 'utf8').split('\n').slice(0, -1)
        expect(lines.toSorted()).toEqual([...taken.flat(), 'made'])
      }),
    )
  })
})

/** Takes a conversation, writes a line, and gives it up when the line is acknowledged. Resolves to false where another has it. */
async function write(
  store: SharedStore,
  copy: LocalCopy,
  { kind, line }: { readonly kind: 'new' | 'stored'; readonly line: string },
): Promise<boolean> {
  const shipment = await store.take(copy, kind).catch((error: unknown) => {
    if (error instanceof HeldElsewhereError) return null
    throw error
  })
  if (shipment === null) return false
  appendFileSync(copy.log, `${line}\n`)
  const { size } = statSync(copy.log)
  shipment.wrote(size)
  await shipment.acknowledged(size)
  await shipment.close()
  return true
}
