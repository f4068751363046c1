import type { Loopback } from '@parley/host'

/** Key of what processes that share a loopback have in common. */
export interface LoopbackKey {
  /** Name that the client gave it. */
  readonly name: string
  /** Name and limits: of one name there is a loopback for each set of limits. */
  readonly key: string
}

/** Loopbacks of one session. */
export interface SharedLoopbacks {
  /** Returns the loopback of a key; null where it cannot be made. Made at the first use. */
  of(key: LoopbackKey, open: () => Promise<Loopback | null>): Promise<Loopback | null>
  /** Resolves to the loopbacks of a name, the one used last first. */
  named(name: string): Promise<readonly Loopback[]>
  close(): Promise<void>
}

/** Number of loopbacks that a session keeps open. A server in one that was closed is not reached any more, and runs on. */
const maxOpen = 64

interface Made {
  readonly name: string
  readonly loopback: Promise<Loopback | null>
}

export function createSharedLoopbacks(): SharedLoopbacks {
  const made = new Map<string, Made>()
  let isClosed = false
  return {
    async of({ name, key }, open) {
      if (isClosed) return null
      const { loopback } = made.get(key) ?? { loopback: open() }
      // Anew, so that the first is the one that was not used for longest.
      made.delete(key)
      made.set(key, { name, loopback })
      const [oldest] = made
      if (made.size > maxOpen && oldest !== undefined) {
        made.delete(oldest[0])
        void oldest[1].loopback.then((unused) => unused?.close())
      }
      return await loopback
    },
    async named(name) {
      const found = [...made.values()].filter((one) => one.name === name).map(({ loopback }) => loopback)
      return (await Promise.all(found)).filter((loopback) => loopback !== null).reverse()
    },
    async close() {
      isClosed = true
      for (const { loopback } of made.values()) (await loopback)?.close()
      made.clear()
    },
  }
}
