import { randomBytes, randomUUID } from 'node:crypto'
import type { JetStreamManager, StreamInfo } from '@nats-io/jetstream'
import { type KV, Kvm } from '@nats-io/kv'
import { type ObjectStore, Objm } from '@nats-io/obj'
import { isRecord } from '@parley/text'
import { type Connected, UnusableStoreError } from './connect-store.ts'
import { buckets, leaseMs, objectBucket, objectStream, shardCount, streamName, subjectsOf } from './layout.ts'
import { isStreamMissing } from './store-trouble.ts'

/** Streams and buckets of a store. */
export interface Prepared {
  /** Random name of the store, which a copy of a log is a copy of. */
  readonly id: string
  readonly key: Uint8Array
  readonly nodes: KV
  readonly owners: KV
  readonly rows: KV
  readonly answers: KV
  readonly objects: ObjectStore
}

interface About {
  readonly id: string
  /** Time at which each stream was made, as the server says it. */
  readonly created: Readonly<Record<string, string>>
}

const aboutKey = 'store'
const sealingKey = 'key'
const answersKey = 'answers'
const keyBytes = 32
const logStreams = Array.from({ length: shardCount }, (_, shard) => streamName(shard))
/** Names of the streams that conversations are kept in. */
export const keptStreams: readonly string[] = [
  ...logStreams,
  ...[buckets.owners, buckets.rows].map((name) => `KV_${name}`),
  objectStream,
]

/**
 * Opens the streams and buckets of a store, and makes them in a new one. Rejects with `UnusableStoreError` where some
 * are gone: an empty stream in place of a lost one would make conversations look empty.
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
    answers: await kvm.create(buckets.answers, kept),
    objects: await new Objm(connection).create(objectBucket, { storage: 'file', replicas }),
  }
  await assertSameAnswers(aboutBucket, { admin, name })
  if (about !== null) return { id: about.id, ...opened }
  await makeLogStreams(admin, replicas)
  return { id: await describe(aboutBucket, await streamsOf(admin)), ...opened }
}

async function makeLogStreams(admin: JetStreamManager, replicas: number): Promise<void> {
  const added = logStreams.map((name, shard) =>
    admin.streams.add({ name, subjects: [subjectsOf(shard)], storage: 'file', num_replicas: replicas }),
  )
  await Promise.all(added)
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

/** Asks for each by itself: a list leaves out streams without a leader. */
async function streamsOf(admin: JetStreamManager): Promise<StreamInfo[]> {
  const asked = keptStreams.map((stream) =>
    admin.streams.info(stream).catch((error: unknown) => (isStreamMissing(error) ? null : Promise.reject(error))),
  )
  return (await Promise.all(asked)).filter((info) => info !== null)
}

function createdOf(found: readonly StreamInfo[]): Record<string, string> {
  return Object.fromEntries(found.map((info) => [info.config.name, String(info.created)]))
}

function assertSame({ created }: About, found: readonly StreamInfo[], name: string): void {
  const times = createdOf(found)
  const gone = Object.keys(created).filter((stream) => times[stream] !== created[stream])
  if (gone.length > 0) throw lost(name, gone)
}

function lost(name: string, streams: readonly string[]): UnusableStoreError {
  return new UnusableStoreError(
    `The store ${name} has lost ${streams.join(', ')}, or had it made anew. Bring it back from a backup; until then its conversations are not opened.`,
  )
}

/**
 * Rejects with `UnusableStoreError` where the bucket of answers is another one than before: one that is empty would lift
 * what trusted projects forbid. It is noted by itself, since stores were made before it, and earlier servers open them.
 */
async function assertSameAnswers(aboutBucket: KV, { admin, name }: Pick<Connected, 'admin' | 'name'>): Promise<void> {
  const stream = `KV_${buckets.answers}`
  const created = String((await admin.streams.info(stream)).created)
  const noted = await aboutBucket.get(answersKey)
  // Another node that notes it in the same moment notes the same.
  if (noted === null) await aboutBucket.put(answersKey, created)
  else if (noted.string() !== created) throw lost(name, [stream])
}

/** Notes the parts of the store, last: after a killed process the next one goes on making the store. */
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
