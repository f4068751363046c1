import { once } from 'node:events'
import { appendFileSync, statSync } from 'node:fs'
import { type AddressInfo, createServer, connect as dial } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { nodeFiles } from '@parley/journal'
import { hasNats, startNats, tempDirectory } from '@parley/testkit'
import { expect, test, vi } from 'vitest'
import { openStore } from '../../src/store/index.ts'
import { copyIn } from './copy-in.ts'

/** Answers that take so long came too late to be certain until the next one. */
const answerMs = 2000

test.skipIf(!hasNats)(
  'effects ask a store nothing whose answers take 2 s more, and it is not away',
  { timeout: 60_000 },
  async () => {
    await using nats = await startNats()
    await using proxy = await delaying(Number(nats.addresses[0]?.split(':')[1]))
    await using world = await tempDirectory()
    const store = await openStore({ servers: [proxy.address], replicas: 1, files: nodeFiles })
    const copy = copyIn(world.path, 'a', 'slow-1')
    const shipment = await store.take(copy, 'new')
    appendFileSync(copy.log, 'line\n')
    shipment.wrote(statSync(copy.log).size)
    await shipment.acknowledged(5)
    const asked = () => proxy.sent().split('$KV.parley_owners.slow-1 ').length
    proxy.delay(answerMs)
    // What had not lasted when the answers became slow is asked for first.
    await vi.waitFor(
      async () => {
        await shipment.mayAct()
        const before = asked()
        // Longer than a yes counts for, by the answers of the store themselves.
        await store.holder(copy.conversationId)
        await store.lists.row(copy.conversationId)
        await shipment.mayAct()
        shipment.assertMayAct()
        expect(store.awayMs).toBeNull()
        expect(asked()).toBe(before)
      },
      { timeout: 50_000 },
    )
    proxy.delay(0)
    await shipment.close()
    await store[Symbol.asyncDispose]()
  },
)

/** Passes bytes on to a port, and what comes back after a time. */
async function delaying(port: number) {
  let ms = 0
  let heard = ''
  const server = createServer((near) => {
    const far = dial(port, '127.0.0.1')
    near.on('data', (bytes) => {
      heard += bytes.toString('latin1')
      far.write(bytes)
    })
    let last = Promise.resolve()
    far.on('data', (bytes) => {
      const due = pause(ms)
      last = last.then(async () => {
        await due
        near.write(bytes)
      })
    })
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
    for (const socket of [near, far]) socket.on('error', () => undefined)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  // narrowed: it listens on a port
  const { port: own } = server.address() as AddressInfo
  return {
    address: `127.0.0.1:${own}`,
    sent: () => heard,
    delay(now: number) {
      ms = now
    },
    async [Symbol.asyncDispose]() {
      server.close()
    },
  }
}
