import { setTimeout as pause } from 'node:timers/promises'
import type { Holder } from '@parley/engine/shared-store'

/** Lease of a server, as it was read. */
export interface Lease {
  readonly holder: Holder
  /** Grows with each renewal. */
  readonly revision: number
}

interface LeasePorts {
  /** Resolves to null for a server without a lease. */
  readonly look: () => Promise<Lease | null>
  /** Time between two looks. */
  readonly everyMs: number
  /** Time within which a living server renews a lease, also after it ended while the store could not be written. */
  readonly renewMs: number
  /** Returns a value that stays the same while the store could be written without a gap; null in a gap. */
  readonly gaps: () => number | null
}

/** Lease of another server. One look answers all questions about it. */
export interface LeaseWatch {
  /**
   * Resolves to the server once it has renewed its lease; to null where a look that began after this call finds that the
   * lease has ended. Calls `onSilent` once when a server that lives would have renewed it.
   */
  holder(onSilent: () => void): Promise<Holder | null>
}

interface Asker {
  readonly answer: PromiseWithResolvers<Holder | null>
  readonly sinceMs: number
  readonly onSilent: () => void
  isTold: boolean
  /** Revision that the first look found. */
  revision: number | null
}

/** Lease that was not there, since when and how certain it is that its server has died. */
interface Gone {
  readonly sinceMs: number
  readonly gaps: number | null
  readonly isOver: boolean
}

export function watchLease({ look, everyMs, renewMs, gaps }: LeasePorts): LeaseWatch {
  const askers = new Set<Asker>()
  let isRunning = false
  /** Gaps when a look saw the lease last; null before that. */
  let seenIn: number | null = null
  let gone: Gone | null = null

  function goneNow(): Gone {
    const now = gaps()
    if (gone === null || gone.gaps !== now)
      return { sinceMs: performance.now(), gaps: now, isOver: now !== null && seenIn === now }
    const isOver = gone.isOver || (now !== null && performance.now() - gone.sinceMs >= renewMs)
    return { ...gone, isOver }
  }

  /** Returns undefined while nothing is known. */
  function judge(asker: Asker, seen: Lease | null): Holder | null | undefined {
    if (seen === null) return gone?.isOver === true ? null : undefined
    asker.revision ??= seen.revision
    return seen.revision > asker.revision ? seen.holder : undefined
  }

  function tell(asker: Asker, seen: Lease | null): void {
    const isSilent = seen === null || performance.now() - asker.sinceMs >= renewMs
    if (!isSilent || asker.isTold) return
    asker.isTold = true
    asker.onSilent()
  }

  async function lookFor(asking: readonly Asker[]): Promise<void> {
    const seen = await look()
    seenIn = seen === null ? seenIn : gaps()
    gone = seen === null ? goneNow() : null
    for (const asker of asking) {
      const found = judge(asker, seen)
      if (found === undefined) tell(asker, seen)
      else if (askers.delete(asker)) asker.answer.resolve(found)
    }
  }

  async function run(): Promise<void> {
    seenIn = null
    while (askers.size > 0) {
      const asking = [...askers]
      await lookFor(asking)
      // A question that came during the look needs another look, at once where all others have their answer.
      if (asking.some((asker) => askers.has(asker))) await pause(everyMs)
    }
  }

  function begin(): void {
    if (isRunning) return
    isRunning = true
    void run()
      .catch((error: unknown) => {
        for (const { answer } of askers) answer.reject(error)
        askers.clear()
      })
      .finally(() => {
        isRunning = false
        if (askers.size > 0) begin()
      })
  }

  return {
    holder(onSilent) {
      const answer = Promise.withResolvers<Holder | null>()
      askers.add({ answer, sinceMs: performance.now(), onSilent, isTold: false, revision: null })
      begin()
      return answer.promise
    },
  }
}
