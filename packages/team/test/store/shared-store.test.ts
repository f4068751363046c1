import { appendFileSync, cpSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { jetstreamManager } from '@nats-io/jetstream'
import { Kvm } from '@nats-io/kv'
import { connect } from '@nats-io/transport-node'
import { HeldElsewhereError, type LocalCopy } from '@parley/engine/shared-store'
import { nodeFiles, STORE_LOST, STORE_SLOW, STORE_TAKEN } from '@parley/journal'
import { hasNats, type NatsServers, startNats, tempDirectory } from '@parley/testkit'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { connectStore } from '../../src/store/connection/connect-store.ts'
import { chunksOf, objectStream, placeOf } from '../../src/store/connection/layout.ts'
import { prepareStore } from '../../src/store/connection/prepare-store.ts'
import { openStore } from '../../src/store/index.ts'
import { emptyMark, writeMark } from '../../src/store/log/ack-mark.ts'
import { logSubject } from '../../src/store/log/log-subject.ts'
import { objectsOf } from '../../src/store/log/objects.ts'
import { createRecentContents } from '../../src/store/log/recent-contents.ts'
import { fenceLog } from '../../src/store/take-conversation.ts'
import { copyIn } from './copy-in.ts'

describe.skipIf(!hasNats)('a shared store', () => {
  let servers: NatsServers
  beforeAll(async () => {
    servers = await startNats()
  })
  afterAll(() => servers[Symbol.asyncDispose]())

  const open = () => openStore({ servers: servers.addresses, replicas: 1, files: nodeFiles })

  test('has the log byte for byte, for a server that has never seen it', async () => {
    await using one = await open()
    await using world = await tempDirectory()
    const copy = copyIn(world.path, 'a', newId())
    const shipment = await one.take(copy, 'new')
    for (let line = 0; line < 300; line++) shipment.wrote(append(copy, `line ${line}\n`))
    await shipment.acknowledged(statSync(copy.log).size)
    await shipment.close()

    await using two = await open()
    const other = copyIn(world.path, 'b', copy.conversationId)
    expect(await two.copies.refresh(other)).toBe(true)
    expect(readFileSync(other.log, 'utf8')).toBe(readFileSync(copy.log, 'utf8'))
  })

  test('has logs of many messages that lie between those of others', async () => {
    await using one = await open()
    await using world = await tempDirectory()
    const id = newId()
    let beside = newId()
    while (placeOf(beside).stream !== placeOf(id).stream) beside = newId()
    const copies = [copyIn(world.path, 'a', id), copyIn(world.path, 'a', beside)]
    const written = await Promise.all(copies.map(async (copy) => ({ copy, shipment: await one.take(copy, 'new') })))
    for (let line = 0; line < 120; line++)
      for (const { copy, shipment } of written.slice(line % 3 === 0 ? 0 : 1)) {
        shipment.wrote(append(copy, `line ${line}\n`))
        await shipment.acknowledged(statSync(copy.log).size)
      }

    await using two = await open()
    for (const copy of copies) {
      const other = copyIn(world.path, 'b', copy.conversationId)
      expect(await two.copies.refresh(other)).toBe(true)
      expect(readFileSync(other.log, 'utf8')).toBe(readFileSync(copy.log, 'utf8'))
    }
    for (const { shipment } of written) await shipment.close()
  })

  test('takes lines that are longer than a message, and the side files that they name', async () => {
    await using one = await open()
    await using world = await tempDirectory()
    const copy = copyIn(world.path, 'a', newId())
    const name = `sha256-${'a'.repeat(64)}`
    mkdirSync(copy.sideFiles, { recursive: true })
    appendFileSync(join(copy.sideFiles, name), 'content')
    const shipment = await one.take(copy, 'new')
    shipment.wrote(append(copy, `${'x'.repeat(3_000_000)} sha256:${'a'.repeat(64)}\nshort\n`))
    await shipment.acknowledged(statSync(copy.log).size)
    await shipment.close()

    await using two = await open()
    const other = copyIn(world.path, 'b', copy.conversationId)
    await two.copies.refresh(other)
    expect(readFileSync(other.log).equals(readFileSync(copy.log))).toBe(true)
    expect(readFileSync(join(other.sideFiles, name), 'utf8')).toBe('content')
  })

  test('gives a conversation to one server at a time', async () => {
    await using one = await open()
    await using two = await open()
    one.servers.announce({ address: 'wss://one', page: 'https://one' }, () => ['fake'])
    await using world = await tempDirectory()
    const copy = copyIn(world.path, 'a', newId())
    const shipment = await one.take(copy, 'new')
    shipment.wrote(append(copy, 'first\n'))
    const refusal = await two.take(copyIn(world.path, 'b', copy.conversationId), 'stored').catch((error) => error)
    expect(refusal).toBeInstanceOf(HeldElsewhereError)
    expect(refusal.holder).toMatchObject({ address: 'wss://one', page: 'https://one', providers: ['fake'] })
    expect(await two.servers.others()).toContainEqual(refusal.holder)
    await shipment.close()
    const next = await two.take(copyIn(world.path, 'b', copy.conversationId), 'stored')
    expect(next.epoch).toBeGreaterThan(shipment.epoch)
    await next.close()
  })

  test('takes no line of a server after another has taken its conversation', async () => {
    await using one = await open()
    await using two = await open()
    await using world = await tempDirectory()
    const copy = copyIn(world.path, 'a', newId())
    const shipment = await one.take(copy, 'new')
    shipment.wrote(append(copy, 'first\n'))
    await shipment.acknowledged(6)
    await endLeaseOf(servers, copy.conversationId)
    const next = await two.take(copyIn(world.path, 'b', copy.conversationId), 'stored')

    shipment.wrote(append(copy, 'second\n'))
    await expect(shipment.acknowledged(13)).rejects.toMatchObject({ code: STORE_TAKEN, retryable: false })
    expect(shipment.trouble).toMatchObject({ code: STORE_TAKEN })
    await next.close()
  })

  test('lets a server act while its lease lasts, and after a pause only if it still has the conversation', async () => {
    await using one = await open()
    await using two = await open()
    await using world = await tempDirectory()
    const copy = copyIn(world.path, 'a', newId())
    const shipment = await one.take(copy, 'new')
    shipment.wrote(append(copy, 'first\n'))
    await shipment.acknowledged(6)
    shipment.assertMayAct()
    await shipment.mayAct()
    using pause = pausedFor(10_000)
    expect(() => shipment.assertMayAct()).toThrow(expect.objectContaining({ code: STORE_SLOW, retryable: true }))
    await shipment.mayAct()
    shipment.assertMayAct()

    await endLeaseOf(servers, copy.conversationId)
    const next = await two.take(copyIn(world.path, 'b', copy.conversationId), 'stored')
    pause.again(10_000)
    await expect(shipment.mayAct()).rejects.toMatchObject({ code: STORE_TAKEN, retryable: false })
    expect(() => shipment.assertMayAct()).toThrow(expect.objectContaining({ code: STORE_TAKEN }))
    await next.close()
  })

  test('is not believed when it has less than it had acknowledged', async () => {
    await using one = await open()
    await using world = await tempDirectory()
    const copy = copyIn(world.path, 'a', newId())
    const shipment = await one.take(copy, 'new')
    shipment.wrote(append(copy, 'first\n'))
    await shipment.acknowledged(6)
    await purge(servers, copy.conversationId)

    shipment.wrote(append(copy, 'second\n'))
    await expect(shipment.acknowledged(13)).rejects.toMatchObject({ code: STORE_LOST })
    await shipment.close().catch(() => undefined)
    await expect(one.take(copy, 'stored')).rejects.toMatchObject({ code: STORE_LOST })
    expect(readFileSync(copy.log, 'utf8')).toBe('first\nsecond\n')
  })

  test('tells what was deleted from what it has lost, and from copies of another store', async () => {
    await using one = await open()
    await using world = await tempDirectory()
    const stored = async () => {
      const copy = copyIn(world.path, 'a', newId())
      const shipment = await one.take(copy, 'new')
      shipment.describe({ title: 'go' })
      shipment.wrote(append(copy, 'first\n'))
      await shipment.acknowledged(6)
      await shipment.close()
      return copy
    }
    const [deleted, lost, foreign, kept] = [await stored(), await stored(), await stored(), await stored()]
    writeMark(nodeFiles, foreign.acked, emptyMark('another'))
    await one.remove(deleted.conversationId)
    await one.remove(foreign.conversationId)
    await loseRow(servers, lost.conversationId)
    const copies = [deleted, lost, foreign, kept]
    const copyOf = (id: string) => copies.find(({ conversationId }) => conversationId === id) ?? null
    expect(await one.lists.deletedCopies(copyOf)).toEqual([deleted.conversationId])
    expect(await one.lists.row(kept.conversationId)).toEqual({ title: 'go' })
    expect(await one.lists.row(lost.conversationId)).toBeNull()
  })

  test('is not taken by a claim that was overtaken before it had any effect', async () => {
    await using one = await open()
    await using world = await tempDirectory()
    const copy = copyIn(world.path, 'a', newId())
    await using connected = await reach(servers)
    const shipment = await one.take(copy, 'new')
    shipment.wrote(append(copy, 'first\n'))
    await shipment.acknowledged(6)

    const late = copyIn(world.path, 'b', copy.conversationId)
    expect(await fenceLog(late, { claim: `${shipment.epoch - 1}.late` }, connected.portsOf(late))).toBe(null)
    shipment.wrote(append(copy, 'second\n'))
    await shipment.acknowledged(13)
    await shipment.close()
  })

  test('gets a copy without what it never acknowledged, which is kept aside', async () => {
    await using one = await open()
    await using world = await tempDirectory()
    const copy = copyIn(world.path, 'a', newId())
    const shipment = await one.take(copy, 'new')
    shipment.wrote(append(copy, 'first\n'))
    await shipment.acknowledged(6)
    await shipment.close()
    append(copy, 'second\n')

    const next = await one.take(copy, 'stored')
    expect(readFileSync(copy.log, 'utf8')).toBe('first\n')
    expect(readFileSync(copy.log.replace('.jsonl', '.torn-1'), 'utf8')).toBe('second\n')
    await next.close()
  })

  test('lists what was said of its conversations, and who has them', async () => {
    await using one = await open()
    await using world = await tempDirectory()
    const copy = copyIn(world.path, 'a', newId())
    const shipment = await one.take(copy, 'new')
    shipment.describe({ title: 'A' })
    shipment.wrote(append(copy, 'first\n'))
    await shipment.acknowledged(6)
    const listed = async () =>
      (await one.lists.rows()).find(({ conversationId }) => conversationId === copy.conversationId)
    expect(await listed()).toMatchObject({ row: { title: 'A' }, holder: { pid: process.pid } })
    await shipment.close()
    expect(await listed()).toMatchObject({ holder: null })
    const again = await one.take(copy, 'stored')
    await one.remove(copy.conversationId)
    await again.close()
    expect(await listed()).toBe(undefined)
    expect(await one.copies.refresh(copyIn(world.path, 'b', copy.conversationId))).toBe(false)
  })
})

test.skipIf(!hasNats)('a store whose streams were made anew is refused', async () => {
  await using servers = await startNats()
  const options = { servers: servers.addresses, replicas: 1, files: nodeFiles }
  await (await openStore(options))[Symbol.asyncDispose]()
  await (await openStore(options))[Symbol.asyncDispose]()
  await using admin = await administer(servers)
  // The answers first: while a stream of the logs is lost, too, nothing else is looked at.
  for (const stream of ['KV_parley_answers', 'PARLEY_LOG_3']) {
    const { config } = await admin.streams.info(stream)
    await admin.streams.delete(stream)
    await admin.streams.add(config)
    await expect(openStore(options)).rejects.toThrow(`has lost ${stream}`)
  }
})

test.skipIf(!hasNats)(
  'a conversation whose stream is deleted while it is written stops, and waits no longer',
  async () => {
    await using servers = await startNats()
    await using world = await tempDirectory()
    await using store = await openStore({ servers: servers.addresses, replicas: 1, files: nodeFiles })
    const copy = copyIn(world.path, 'a', newId())
    const shipment = await store.take(copy, 'new')
    shipment.wrote(append(copy, 'first\n'))
    await shipment.acknowledged(6)
    await using admin = await administer(servers)
    await admin.streams.delete(placeOf(copy.conversationId).stream)
    shipment.wrote(append(copy, 'second\n'))
    await expect(shipment.acknowledged(13)).rejects.toMatchObject({ code: STORE_LOST, retryable: false })
    await shipment.close().catch(() => undefined)
  },
)

test.skipIf(!hasNats)('a store that was set back is not believed by a server that has seen more', async () => {
  await using servers = await startNats()
  const options = { servers: servers.addresses, replicas: 1, files: nodeFiles }
  await using world = await tempDirectory()
  await using one = await openStore(options)
  const copy = copyIn(world.path, 'a', newId())
  const shipment = await one.take(copy, 'new')
  shipment.wrote(append(copy, 'first\n'))
  await shipment.acknowledged(6)
  await servers.kill(0)
  cpSync(servers.folder(0), join(world.path, 'backup'), { recursive: true })
  await servers.start(0)
  shipment.wrote(append(copy, 'shown\n'))
  await shipment.acknowledged(12)
  await servers.kill(0)
  rmSync(servers.folder(0), { recursive: true })
  cpSync(join(world.path, 'backup'), servers.folder(0), { recursive: true })
  await servers.start(0)
  await shipment.close().catch(() => undefined)

  // Its message has the place of the one that was lost.
  await using two = await openStore(options)
  await endLeaseOf(servers, copy.conversationId)
  const other = copyIn(world.path, 'b', copy.conversationId)
  const next = await two.take(other, 'stored')
  next.wrote(append(other, 'other\n'))
  await next.acknowledged(12)
  await next.close()
  await expect(one.take(copy, 'stored')).rejects.toMatchObject({ code: STORE_LOST })
  expect(readFileSync(copy.log, 'utf8')).toBe('first\nshown\n')
})

test.skipIf(!hasNats)('content of which the store has lost a part is not there', async () => {
  await using servers = await startNats()
  await using ours = await reach(servers)
  await using world = await tempDirectory()
  const { objects } = ours.portsOf(copyIn(world.path, 'a', newId()))
  const content = Buffer.alloc(300_000, 'content ')
  await objects.put('large', () => content)
  expect(Buffer.from((await objects.get('large')) ?? []).equals(content)).toBe(true)
  await objects.put('empty', () => Buffer.alloc(0))
  expect(await objects.get('empty')).toEqual(Buffer.alloc(0))

  await using admin = await administer(servers)
  await admin.streams.purge(objectStream, { filter: chunksOf('*').subject, keep: 1 })
  expect(await objects.get('large')).toBe(null)
  await admin.streams.purge(objectStream, { filter: chunksOf('*').subject })
  expect(await objects.get('large')).toBe(null)
})

test.skipIf(!hasNats)('servers with too small messages are refused', async () => {
  await using servers = await startNats({ config: 'max_payload: 65536' })
  const options = { servers: servers.addresses, replicas: 1, files: nodeFiles }
  await expect(openStore(options)).rejects.toThrow('max_payload')
})

/** Connects as a server does that takes part in no lease. */
async function reach(servers: NatsServers) {
  const connected = await connectStore({ servers: servers.addresses })
  const { id: store, objects } = await prepareStore(connected, 1)
  return {
    portsOf: ({ conversationId }: LocalCopy) => ({
      files: nodeFiles,
      subject: logSubject(connected, conversationId),
      objects: objectsOf(objects, connected.admin, conversationId),
      recent: createRecentContents(),
      store,
      name: connected.name,
    }),
    [Symbol.asyncDispose]: () => connected.connection.close(),
  }
}

async function administer({ addresses }: NatsServers) {
  const connection = await connect({ servers: [...addresses] })
  const { streams } = await jetstreamManager(connection)
  return { connection, streams, [Symbol.asyncDispose]: () => connection.close() }
}

async function purge(servers: NatsServers, conversationId: string): Promise<void> {
  await using admin = await administer(servers)
  const { stream, subject } = placeOf(conversationId)
  await admin.streams.purge(stream, { filter: subject })
}

/** Removes what lists show of a conversation as if it had never been there. */
async function loseRow(servers: NatsServers, conversationId: string): Promise<void> {
  await using admin = await administer(servers)
  await admin.streams.purge('KV_parley_rows', { filter: `$KV.parley_rows.${conversationId}` })
}

/** Makes a conversation look as if its server had not renewed its lease. */
async function endLeaseOf(servers: NatsServers, conversationId: string): Promise<void> {
  await using admin = await administer(servers)
  const owners = await new Kvm(admin.connection).open('parley_owners')
  await owners.put(conversationId, 'nobody')
}

const newId = () => '01890000-0000-7000-8000-'.concat(Math.random().toString(16).slice(2).padEnd(12, '0').slice(0, 12))

/** Returns the size of the log. */
function append({ log }: LocalCopy, text: string): number {
  appendFileSync(log, text)
  return statSync(log).size
}

/** Sets the clock on, as it is for a process that wakes. */
function pausedFor(ms: number) {
  const start = Date.now
  let aheadMs = ms
  const now = vi.spyOn(Date, 'now').mockImplementation(() => start() + aheadMs)
  return {
    again(more: number) {
      aheadMs += more
    },
    [Symbol.dispose]: () => now.mockRestore(),
  }
}
