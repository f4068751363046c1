import { createHash, randomUUID } from 'node:crypto'
import type { KV } from '@nats-io/kv'
import { STORE_LOST, StorageError } from '@parley/journal'
import { askAgain } from './connection/ask-again.ts'
import { messageBytes } from './connection/layout.ts'
import { isOutdated } from './connection/store-trouble.ts'
import type { SharedAnswers } from './port/shared-store.ts'

type Bucket = Pick<KV, 'get' | 'put' | 'create' | 'purge'>

/** Reads of an entry whose parts are gone, after which no other server can have replaced it meanwhile. */
const mostReads = 5

/**
 * Keeps answers in a bucket; of one that is too long for a message the entry names its parts. Rejects with the library's
 * error, and with `StorageError` where parts are lost. `store` names the store for people.
 */
export function answersIn(bucket: Bucket, store: string): SharedAnswers {
  const bytesAt = async (key: string) => {
    const entry = await askAgain(() => bucket.get(key))
    return entry?.operation === 'PUT' ? Buffer.from(entry.value) : null
  }
  return {
    async read(name) {
      for (let reads = 0; reads < mostReads; reads++) {
        const bytes = await bytesAt(keyOf(name))
        const parts = bytes === null ? [] : partsOf(bytes)
        if (bytes === null || parts.length === 0) return bytes?.toString() ?? null
        const found = await Promise.all(parts.map(bytesAt))
        const whole = found.filter((part) => part !== null)
        if (whole.length === parts.length) return Buffer.concat(whole).toString()
      }
      throw new StorageError({ code: STORE_LOST, operation: 'read an answer of', path: store })
    },
    async write(name, text, how = 'replace') {
      const key = keyOf(name)
      const before = await bytesAt(key)
      if (how === 'first' && before !== null) return
      const entry = await entryFor(key, Buffer.from(text))
      if (how === 'first') await bucket.create(key, entry).catch(unlessFollowed)
      else await bucket.put(key, entry)
      if (before !== null) await Promise.all(partsOf(before).map((part) => bucket.purge(part)))
    },
  }

  /** Returns a text that fits a message; else stores its parts and returns what names them. */
  async function entryFor(key: string, bytes: Buffer): Promise<Buffer> {
    if (bytes.length <= messageBytes) return bytes
    // Parts of their own for each, so that what one entry names is never removed with another.
    const head = Buffer.from(`${partsMark}${key}.${randomUUID()} ${Math.ceil(bytes.length / messageBytes)}`)
    const cut = (nth: number) => bytes.subarray(nth * messageBytes, (nth + 1) * messageBytes)
    await Promise.all(partsOf(head).map((part, nth) => bucket.put(part, cut(nth))))
    return head
  }
}

/** Ignores that another server was first. */
function unlessFollowed(error: unknown): void {
  if (!isOutdated(error)) throw error
}

/** Letter that no text begins with, before the name of the parts and their number. */
const partsMark = '\0'

/** Returns the keys of the parts that an entry names; none for one that is whole. */
function partsOf(entry: Buffer): readonly string[] {
  const text = entry.toString()
  if (!text.startsWith(partsMark)) return []
  const [name = '', count = ''] = text.slice(partsMark.length).split(' ')
  return Array.from({ length: Number(count) }, (_, nth) => `${name}.${nth}`)
}

/** Returns a key, which takes fewer letters than names have. */
function keyOf(name: string): string {
  return createHash('sha256').update(name).digest('hex')
}
