import type { KV, KvEntry } from '@nats-io/kv'
import { askAgain } from './ask-again.ts'

/** Time without an entry after which a pass is given up, in ms. */
const silentMs = 3000

/**
 * Reads all entries of a bucket in one pass, or what tells which were deleted. Rejects with `TimeoutError` where none comes for long: the server of the store
 * that was to send them may have died, and the library waits for it without an end.
 */
export async function* entriesOf(
  bucket: Pick<KV, 'history'>,
  operation: KvEntry['operation'] = 'PUT',
): AsyncGenerator<KvEntry> {
  const entries = await begin(bucket)
  try {
    const iterator = entries[Symbol.asyncIterator]()
    for (;;) {
      const next = await unlessSilent(iterator.next())
      if (next.done === true) return
      if (next.value.operation === operation) yield next.value
    }
  } finally {
    entries.stop()
  }
}

/** Begins a pass, and ends those that were begun beside it. */
async function begin(bucket: Pick<KV, 'history'>): ReturnType<KV['history']> {
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
