import { randomUUID } from 'node:crypto'
import type { KV } from '@nats-io/kv'
import type { AnnouncedAt, Holder } from '@parley/engine/shared-store'
import { isRecord } from '@parley/text'
import { askAgain } from '../connection/ask-again.ts'
import { entriesOf, isThere } from '../connection/bucket-entries.ts'
import { beatMs, createRenewals, isRenewalDue, momentNow, msSince, shortBeatMs } from './renewals.ts'
import { type Lease, type LeaseWatch, watchLease } from './watch-lease.ts'

/** Time within which a server renews a lease that ended while the store could not be written. */
const renewMs = 1.2 * beatMs
const lookEveryMs = 100
/** Time without a renewed lease after which another server of the store is tried. */
const moveOnMs = 5000

/** Leases of the servers that use a store, this one among them. */
export interface Nodes extends AsyncDisposable {
  /** Random name of this server. */
  readonly own: string
  /**
   * Announces the addresses of this server for clients and browsers, and from then on the result of `providers`:
   * providers with a key here.
   */
  announce(at: AnnouncedAt, providers: () => readonly string[]): void
  /**
   * Number of times that the lease may have ended: it was not renewed in time. Null while it may have ended just now. The
   * same number as before shows that no other server can have taken anything since, however long this process was paused.
   */
  readonly lapses: number | null
  /** Time since the store answered last, in ms; null while it does. */
  readonly awayMs: number | null
  /** Renews the lease now. Rejects with the library's error. */
  renew(): Promise<void>
  /** Runs something after the next renewal, and again after each until it succeeds; no more once the lease is given up. */
  later(run: () => Promise<void>): void
  /**
   * Resolves to a server once it has renewed its lease, which shows that it lives; to null where the lease has ended or
   * ends meanwhile. Calls `onSilent` when a living server would have renewed it.
   */
  find(node: string, onSilent: () => void): Promise<Holder | null>
  /** Resolves to the servers with a lease. */
  all(): Promise<ReadonlyMap<string, Holder>>
  /** Resolves to the servers besides this one. */
  others(): Promise<readonly Holder[]>
}

/**
 * Takes a lease and renews it. `moveOn` connects to another server of the store: one that is cut off from the others
 * keeps its connections and answers nothing.
 */
export async function holdLease(bucket: KV, moveOn: () => Promise<void>): Promise<Nodes> {
  const own = randomUUID()
  let at: AnnouncedAt = { address: null, page: null }
  let providersNow: () => readonly string[] = () => []
  let movableMs = 0
  const renewals = createRenewals()
  const renew = async () => {
    const entry = JSON.stringify({ ...at, pid: process.pid, providers: providersNow() })
    await renewals.run(() => bucket.put(own, entry))
    movableMs = performance.now() + moveOnMs
  }
  await renew()
  const left = new Set<() => Promise<void>>()
  const renewOrMoveOn = async () => {
    try {
      await renew()
      await runAll(left)
    } catch {
      if (performance.now() < movableMs) return
      movableMs = performance.now() + moveOnMs
      await moveOn().catch(() => undefined)
    }
  }
  // A lease that could not be renewed is tried again with the next beat; nothing is written without the owner's entry.
  let begun = momentNow()
  const beat = setInterval(() => {
    if (!isRenewalDue(msSince(begun), renewals.ageMs)) return
    begun = momentNow()
    void renewOrMoveOn()
  }, shortBeatMs).unref()

  async function look(node: string): Promise<Lease | null> {
    const entry = await askAgain(() => bucket.get(node))
    if (!isThere(entry)) return null
    return { holder: holderIn(node, entry.json()), revision: entry.revision }
  }

  async function all(): Promise<ReadonlyMap<string, Holder>> {
    const living = new Map<string, Holder>()
    for (const [node, entry] of await entriesOf(bucket))
      if (isThere(entry)) living.set(node, holderIn(node, entry.json()))
    return living
  }

  const watches = new Map<string, LeaseWatch>()

  function watchOf(node: string): LeaseWatch {
    const known = watches.get(node)
    if (known !== undefined) return known
    const made = watchLease({ look: () => look(node), everyMs: lookEveryMs, renewMs, gaps: () => renewals.lapses })
    watches.set(node, made)
    return made
  }

  return {
    own,
    renew,
    later: (run) => void left.add(run),
    get lapses() {
      return renewals.lapses
    },
    get awayMs() {
      return renewals.awayMs
    },
    announce(now, providers) {
      at = { address: now.address, page: now.page }
      providersNow = providers
      void renew().catch(() => undefined)
    },
    find: (node, onSilent) => watchOf(node).holder(onSilent),
    all,
    others: async () => [...(await all()).values()].filter(({ node }) => node !== own),
    async [Symbol.asyncDispose]() {
      clearInterval(beat)
      // A store that is away ends the lease by itself.
      if (renewals.awayMs === null) await bucket.delete(own).catch(() => undefined)
    },
  }
}

function holderIn(node: string, value: unknown): Holder {
  const { address, page, pid, providers } = isRecord(value) ? value : {}
  const named = Array.isArray(providers) ? providers.filter((one) => typeof one === 'string') : []
  return {
    node,
    pid: typeof pid === 'number' ? pid : 0,
    address: typeof address === 'string' ? address : null,
    page: typeof page === 'string' ? page : null,
    providers: named,
  }
}

/** Runs work that a store did not take, one after the other, and keeps what fails for the next time. */
async function runAll(left: Set<() => Promise<void>>): Promise<void> {
  const now = [...left]
  left.clear()
  for (const run of now) await run().catch(() => left.add(run))
}
