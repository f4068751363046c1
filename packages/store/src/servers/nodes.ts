import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { KV } from '@nats-io/kv'
import { isRecord } from '@parley/text'
import { leaseMs } from '../connection/layout.ts'
import type { Holder } from '../port/shared-store.ts'

const beatMs = leaseMs / 3
/** Time in which a server renews a lease that ended while the store could not be written. */
const secondLookMs = 1.2 * beatMs
const lookEveryMs = 100
/** Time without a renewed lease after which another server of the store is tried. */
const moveOnMs = 5000

/** Leases of the servers that use a store, this one among them. */
export interface Nodes extends AsyncDisposable {
  /** Random name of this server. */
  readonly own: string
  announce(address: string | null): void
  /**
   * Resolves to a server once it has renewed its lease, which shows that it lives; to null for one whose lease has ended
   * or ends meanwhile.
   */
  find(node: string): Promise<Holder | null>
  /** Resolves to the servers with a lease. */
  all(): Promise<ReadonlyMap<string, Holder>>
}

/**
 * Takes a lease and renews it. `moveOn` connects to another server of the store: one that is cut off from the others
 * keeps its connections and answers nothing.
 */
export async function holdLease(bucket: KV, moveOn: () => Promise<void>): Promise<Nodes> {
  const own = randomUUID()
  let address: string | null = null
  let movableMs = 0
  const renew = async () => {
    await bucket.put(own, JSON.stringify({ address, pid: process.pid }))
    movableMs = performance.now() + moveOnMs
  }
  await renew()
  const renewOrMoveOn = async () => {
    try {
      await renew()
    } catch {
      if (performance.now() < movableMs) return
      movableMs = performance.now() + moveOnMs
      await moveOn().catch(() => undefined)
    }
  }
  // A lease that could not be renewed is tried again with the next beat; nothing is written without the owner's entry.
  const beat = setInterval(() => void renewOrMoveOn(), beatMs).unref()

  async function look(node: string): Promise<{ readonly holder: Holder; readonly revision: number } | null> {
    const entry = await bucket.get(node)
    if (entry === null || entry.operation !== 'PUT') return null
    return { holder: holderIn(node, entry.json()), revision: entry.revision }
  }

  return {
    own,
    announce(now) {
      address = now
      void renew().catch(() => undefined)
    },
    async find(node) {
      const first = await look(node)
      if (first === null) {
        await pause(secondLookMs)
        return (await look(node))?.holder ?? null
      }
      for (;;) {
        await pause(lookEveryMs)
        const now = await look(node)
        if (now === null) return null
        if (now.revision > first.revision) return now.holder
      }
    },
    async all() {
      const living = new Map<string, Holder>()
      for await (const node of await bucket.keys()) {
        const found = await look(node)
        if (found !== null) living.set(node, found.holder)
      }
      return living
    },
    async [Symbol.asyncDispose]() {
      clearInterval(beat)
      await bucket.delete(own).catch(() => undefined)
    },
  }
}

function holderIn(node: string, value: unknown): Holder {
  const { address, pid } = isRecord(value) ? value : {}
  return { node, pid: typeof pid === 'number' ? pid : 0, address: typeof address === 'string' ? address : null }
}
