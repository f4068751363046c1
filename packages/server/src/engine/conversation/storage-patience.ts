import { StorageError } from '@parley/journal'
import type { Clock } from '../../ports/clock.ts'

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

export function createStoragePatience(clock: Clock, tell: (error: StorageError) => void): StoragePatience {
  const closed = new AbortController()
  let nudge = new AbortController()
  let delayMs = firstDelayMs
  let told = false

  function worked(): void {
    told = false
    delayMs = firstDelayMs
  }

  async function wait(error: StorageError): Promise<boolean> {
    if (!told) tell(error)
    told = true
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

/** Reports each storage failure once, although every caller that meets it passes it on. */
export function reportOnce(tell: (fault: unknown) => void): (fault: unknown) => void {
  const told = new WeakSet<StorageError>()
  return (fault) => {
    if (fault instanceof StorageError) {
      if (told.has(fault)) return
      told.add(fault)
    }
    tell(fault)
  }
}
