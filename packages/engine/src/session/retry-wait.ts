import type { Clock } from '../ports/clock-and-ids.ts'

/** Wait before a retry, which a person may end early. */
export interface RetryWait {
  /** Resolves after the delay, on abort, or when the wait is ended early. */
  sleep(delayMs: number, signal: AbortSignal): Promise<void>
  /** Ends the wait; returns false when nothing waits. */
  endNow(): boolean
}

export function createRetryWait(clock: Pick<Clock, 'sleep'>): RetryWait {
  let early: AbortController | null = null
  return {
    async sleep(delayMs, signal) {
      const own = new AbortController()
      early = own
      await clock.sleep(delayMs, AbortSignal.any([signal, own.signal]))
      early = null
    },
    endNow() {
      if (early === null) return false
      early.abort()
      return true
    },
  }
}
