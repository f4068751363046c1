import type { KV, KvEntry } from '@nats-io/kv'
import { askAgain } from './ask-again.ts'

/** Time without an entry after which a pass is given up, in ms. */
const silentMs = 3000

type ReadBucket = Pick<KV, 'history' | 'status'>

/**
 * Reads all entries of a bucket in one pass, or what tells which were deleted; one that is written meanwhile may come
 * twice. Rejects with `TimeoutError` where none comes for long: the server of the store that was to send them may have
 * died, and the library waits for it without an end.
 */
export async function* entriesOf(
  bucket: ReadBucket,
  operation: KvEntry['operation'] = 'PUT',
): AsyncGenerator<KvEntry, void, undefined> {
  const { streamInfo } = await askAgain(() => bucket.status())
  const { messages, last_seq: last } = streamInfo.state
  if (messages === 0) return
  const entries = await begin(bucket)
  try {
    const iterator = entries[Symbol.asyncIterator]()
    for (;;) {
      const next = await unlessSilent(iterator.next())
      if (next.done === true) return
      if (next.value.operation === operation) yield next.value
      // By the order of entries: what a server says of those that are left is wrong where they are written meanwhile.
      if (next.value.revision >= last) return
    }
  } finally {
    entries.stop()
  }
}

/** Begins a pass, and ends those that were begun beside it. */
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
