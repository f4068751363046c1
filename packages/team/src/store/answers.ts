import { createHash, randomUUID } from 'node:crypto'
import type { KV } from '@nats-io/kv'
import type { SharedAnswers } from '@parley/engine/shared-store'
import { STORE_LOST, StorageError } from '@parley/journal'
import { askAgain } from './connection/ask-again.ts'
import { messageBytes } from './connection/layout.ts'
import { isOutdated } from './connection/store-trouble.ts'

type Bucket = Pick<KV, 'get' | 'put' | 'create' | 'update' | 'purge'>

/** Reads of an entry with missing parts, after which no other server can have replaced it meanwhile. */
const mostReads = 5

/**
 * Keeps answers in a bucket; of one that is too long for a message the entry names its parts. Rejects with the library's
 * error, and with `StorageError` where parts are lost. `store` names the store for people.
 */
export function answersIn(bucket: Bucket, store: string): SharedAnswers {
  const entryAt = async (key: string) => {
    const entry = await askAgain(() => bucket.get(key))
    return entry?.operation === 'PUT' ? { bytes: Buffer.from(entry.value), revision: entry.revision } : null
  }
  const wholeOf = async (bytes: Buffer): Promise<string | null> => {
    const parts = partsOf(bytes)
    if (parts.length === 0) return bytes.toString()
    const found = (await Promise.all(parts.map(entryAt))).filter((part) => part !== null)
    return found.length === parts.length ? Buffer.concat(found.map((part) => part.bytes)).toString() : null
  }
  return {
    async read(name) {
      for (let reads = 0; reads < mostReads; reads++) {
        const entry = await entryAt(keyOf(name))
        const whole = entry === null ? null : await wholeOf(entry.bytes)
        if (entry === null || whole !== null) return whole
      }
      throw new StorageError({ code: STORE_LOST, operation: 'read an answer of', path: store })
    },
    async change(name, next) {
      const key = keyOf(name)
      for (;;) {
        const before = await entryAt(key)
        const text = next(before === null ? null : await wholeOf(before.bytes))
        if (text === null) return
        const entry = await entryFor(key, Buffer.from(text))
        const isKept = await follow(key, entry, before?.revision)
        // Nobody reads the parts of an entry that was replaced, or that came too late.
        const unread = isKept ? partsOf(before?.bytes ?? Buffer.alloc(0)) : partsOf(entry)
        await Promise.all(unread.map((part) => bucket.purge(part)))
        if (isKept) return
      }
    },
  }

  /** Puts an entry behind the one of a revision. Resolves to false where another server was first. */
  async function follow(key: string, entry: Buffer, revision: number | undefined): Promise<boolean> {
    try {
      await (revision === undefined ? bucket.create(key, entry) : bucket.update(key, entry, revision))
      return true
    } catch (error) {
      if (isOutdated(error)) return false
      throw error
    }
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

/** Letter that no text begins with, before the name of the parts and their number. */
const partsMark = '\0'

/** Returns the keys of the parts that an entry names; empty for a whole entry. */
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
