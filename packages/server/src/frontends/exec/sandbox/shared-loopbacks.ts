import type { Loopback } from '@parley/host'

/** Loopbacks of one session, by what the processes that share one have in common. */
export interface SharedLoopbacks {
  /** Returns the one of a key; null where there can be none. Made at the first use. */
  of(key: string, open: () => Promise<Loopback | null>): Promise<Loopback | null>
  close(): Promise<void>
}

/** Number of loopbacks that a session keeps open. A server in one that was closed is not reached any more, and runs on. */
const maxOpen = 64

export function createSharedLoopbacks(): SharedLoopbacks {
  const made = new Map<string, Promise<Loopback | null>>()
  let isClosed = false
  return {
    async of(key, open) {
      if (isClosed) return null
      const loopback = made.get(key) ?? open()
      // Anew, so that the first is the one that was not used for longest.
      made.delete(key)
      made.set(key, loopback)
      const [oldest] = made
      if (made.size > maxOpen && oldest !== undefined) {
        made.delete(oldest[0])
        void oldest[1].then((unused) => unused?.close())
      }
      return await loopback
    },
    async close() {
      isClosed = true
      for (const loopback of await Promise.all(made.values())) loopback?.close()
      made.clear()
    },
  }
}
