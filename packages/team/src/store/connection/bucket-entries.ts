import type { KV, KvEntry } from '@nats-io/kv'
import { askAgain } from './ask-again.ts'

/** Time without an entry after which a pass is given up, in ms. */
const silentMs = 3000
/**
 * Most times that a pass goes on for entries that were written meanwhile: a bucket that is written without a pause has
 * no end.
 */
const mostStretches = 20

type ReadBucket = Pick<KV, 'history' | 'status'>

/**
 * Resolves to the newest entry of each key of a bucket, those that tell of a deletion included, all read in one pass.
 * Rejects with `TimeoutError` where none comes for long: the server of the store that was to send them may have died, and
 * the library waits for it without an end.
 */
export async function entriesOf(bucket: ReadBucket): Promise<ReadonlyMap<string, KvEntry>> {
  const found = new Map<string, KvEntry>()
  let last = await newestIn(bucket)
  if (last === null) return found
  const entries = await begin(bucket)
  try {
    const iterator = entries[Symbol.asyncIterator]()
    for (let stretches = 1; ; ) {
      const next = await unlessSilent(iterator.next())
      if (next.done === true) return found
      const { key, revision } = next.value
      found.set(key, next.value)
      // By the order of entries: a server's count of the rest is wrong where entries are written meanwhile.
      if (revision < last) continue
      // An entry that was written anew before the pass reached it lies behind the end of the pass.
      last = stretches === mostStretches ? revision : ((await newestIn(bucket)) ?? revision)
      if (revision >= last) return found
      stretches += 1
    }
  } finally {
    entries.stop()
  }
}

/** Tells an entry that was put from one that tells of a deletion. */
export function isThere(entry: KvEntry | null): entry is KvEntry {
  return entry?.operation === 'PUT'
}

/** Resolves to the revision of the newest entry of a bucket; to null for an empty bucket. */
async function newestIn(bucket: ReadBucket): Promise<number | null> {
  const { streamInfo } = await askAgain(() => bucket.status())
  const { messages, last_seq: last } = streamInfo.state
  return messages === 0 ? null : last
}

/** Begins a pass, and ends older passes at the same bucket. */
async function begin(bucket: ReadBucket): ReturnType<KV['history']> {
  let isSettled = false
  try {
    return await askAgain(async () => {
      const entries = await bucket.history({ key: '>' })
      if (isSettled) entries.stop()
      isSettled = true
      return entries
    })
  } finally {
    isSettled = true
  }
}

async function unlessSilent<Next>(next: Promise<Next>): Promise<Next> {
  const silent = Promise.withResolvers<never>()
  const timer = setTimeout(() => silent.reject(silence()), silentMs)
  try {
    return await Promise.race([next, silent.promise])
  } finally {
    clearTimeout(timer)
  }
}

function silence(): Error {
  return Object.assign(new Error(`no entry has come for ${silentMs} ms`), { name: 'TimeoutError' })
}
