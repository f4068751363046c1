import { StorageError } from '@parley/journal'
import type { Clock } from '../../ports/clock-and-ids.ts'

const firstDelayMs = 500
const longestDelayMs = 10_000

/** Waits through storage failures: reports the first one, pauses, and retries while a retry can help. */
export interface StoragePatience {
  /** Retries a write until it succeeds. Rejects when the failure is final or the conversation closes. */
  persist<Result>(write: () => Result): Promise<Result>
  /** Resolves to true when a retry is due; to false when the failure is final or the conversation closes. */
  wait(error: StorageError): Promise<boolean>
  /** Resets the delay and the report after a successful write. */
  worked(): void
  /** Ends the current wait at once, because a person asked to go on. */
  hurry(): void
  close(): void
}

export function createStoragePatience(clock: Clock, report: (error: StorageError) => void): StoragePatience {
  const closed = new AbortController()
  let nudge = new AbortController()
  let delayMs = firstDelayMs
  let isReported = false

  function worked(): void {
    isReported = false
    delayMs = firstDelayMs
  }

  async function wait(error: StorageError): Promise<boolean> {
    if (!isReported) report(error)
    isReported = true
    if (!error.retryable || closed.signal.aborted) return false
    nudge = new AbortController()
    await clock.sleep(delayMs, AbortSignal.any([closed.signal, nudge.signal]))
    delayMs = Math.min(2 * delayMs, longestDelayMs)
    return true
  }

  async function persist<Result>(write: () => Result): Promise<Result> {
    for (;;) {
      try {
        const result = write()
        worked()
        return result
      } catch (error) {
        if (!(error instanceof StorageError) || !(await wait(error))) throw error
      }
    }
  }

  return { persist, wait, worked, hurry: () => nudge.abort(), close: () => closed.abort() }
}

/** Ignores a storage failure of a write that a later event repeats, such as a delta. */
export function unlessStorageFails(write: () => void): void {
  try {
    write()
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
  }
}

/** Returns a reporter that passes each storage failure on once, however many callers report it. */
export function reportOnce(report: (fault: unknown) => void): (fault: unknown) => void {
  const reported = new WeakSet<StorageError>()
  return (fault) => {
    if (fault instanceof StorageError) {
      if (reported.has(fault)) return
      reported.add(fault)
    }
    report(fault)
  }
}
