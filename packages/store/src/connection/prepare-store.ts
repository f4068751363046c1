import { randomBytes, randomUUID } from 'node:crypto'
import type { JetStreamManager, StreamInfo } from '@nats-io/jetstream'
import { type KV, Kvm } from '@nats-io/kv'
import { type ObjectStore, Objm } from '@nats-io/obj'
import { isRecord } from '@parley/text'
import { type Connected, UnusableStoreError } from './connect-store.ts'
import { buckets, leaseMs, objectBucket, shardCount, streamName, subjectsOf } from './layout.ts'

/** Streams and buckets of a store. */
export interface Prepared {
  /** Random name of the store, which a copy of a log is a copy of. */
  readonly id: string
  readonly key: Uint8Array
  readonly nodes: KV
  readonly owners: KV
  readonly rows: KV
  readonly objects: ObjectStore
}

interface About {
  readonly id: string
  /** Time at which each stream was made, as the server says it. */
  readonly created: Readonly<Record<string, string>>
}

const aboutKey = 'store'
const sealingKey = 'key'
const keyBytes = 32
const logStreams = Array.from({ length: shardCount }, (_, shard) => streamName(shard))
const keptStreams = [
  ...logStreams,
  ...[buckets.owners, buckets.rows].map((name) => `KV_${name}`),
  `OBJ_${objectBucket}`,
]

/**
 * Opens the streams and buckets of a store, and makes those of a new one. Rejects with `UnusableStoreError` where some
 * are gone: a stream that was made anew would pass conversations off as empty.
 */
export async function prepareStore({ connection, admin, name }: Connected, replicas: number): Promise<Prepared> {
  const kvm = new Kvm(connection)
  const kept = { history: 1, replicas, storage: 'file', allow_direct: false } as const
  const aboutBucket = await kvm.create(buckets.about, kept)
  const nodes = await kvm.create(buckets.nodes, { ...kept, ttl: leaseMs })
  const about = await readAbout(aboutBucket)
  const found = await streamsOf(admin)
  if (about !== null) assertSame(about, found, name)
  else if (found.some(({ state }) => state.messages > 0))
    throw new UnusableStoreError(
      `The store ${name} no longer says which store it is, so its conversations are not opened.`,
    )
  const opened = {
    key: await keyIn(aboutBucket),
    nodes,
    owners: await kvm.create(buckets.owners, kept),
    rows: await kvm.create(buckets.rows, kept),
    objects: await new Objm(connection).create(objectBucket, { storage: 'file', replicas }),
  }
  if (about !== null) return { id: about.id, ...opened }
  await Promise.all(logStreams.map((stream, shard) => makeLogStream(admin, { stream, shard, replicas })))
  return { id: await describe(aboutBucket, await streamsOf(admin)), ...opened }
}

async function readAbout(bucket: KV): Promise<About | null> {
  const entry = await bucket.get(aboutKey)
  const value: unknown = entry === null ? null : entry.json()
  if (!isRecord(value) || typeof value['id'] !== 'string' || !isRecord(value['created'])) return null
  const created = Object.entries(value['created']).map(([stream, time]) => [stream, String(time)] as const)
  return { id: value['id'], created: Object.fromEntries(created) }
}

/** Reads the key that the servers have in common. The first of them makes it. */
async function keyIn(bucket: KV): Promise<Uint8Array> {
  const kept = await bucket.get(sealingKey)
  if (kept !== null) return kept.value
  const made = randomBytes(keyBytes)
  try {
    await bucket.create(sealingKey, made)
    return made
  } catch (error) {
    // Another node made it in the same moment.
    const theirs = await bucket.get(sealingKey)
    if (theirs === null) throw error
    return theirs.value
  }
}

async function streamsOf(admin: JetStreamManager): Promise<StreamInfo[]> {
  const names = new Set(keptStreams)
  const found: StreamInfo[] = []
  for await (const info of admin.streams.list()) if (names.has(info.config.name)) found.push(info)
  return found
}

function createdOf(found: readonly StreamInfo[]): Record<string, string> {
  return Object.fromEntries(found.map((info) => [info.config.name, String(info.created)]))
}

function assertSame({ created }: About, found: readonly StreamInfo[], name: string): void {
  const times = createdOf(found)
  const gone = Object.keys(created).filter((stream) => times[stream] !== created[stream])
  if (gone.length === 0) return
  throw new UnusableStoreError(
    `The store ${name} has lost ${gone.join(', ')}, or had it made anew. Bring it back from a backup; until then its conversations are not opened.`,
  )
}

interface NewStream {
  readonly stream: string
  readonly shard: number
  readonly replicas: number
}

async function makeLogStream(admin: JetStreamManager, { stream, shard, replicas }: NewStream): Promise<void> {
  await admin.streams.add({ name: stream, subjects: [subjectsOf(shard)], storage: 'file', num_replicas: replicas })
}

/** Notes what the store is made of, last: a killed process leaves a store that the next one goes on making. */
async function describe(bucket: KV, found: readonly StreamInfo[]): Promise<string> {
  const about: About = { id: randomUUID(), created: createdOf(found) }
  try {
    await bucket.create(aboutKey, JSON.stringify(about))
    return about.id
  } catch (error) {
    // Another node made the store in the same moment.
    const theirs = await readAbout(bucket)
    if (theirs === null) throw error
    return theirs.id
  }
}
