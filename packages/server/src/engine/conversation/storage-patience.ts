import { StorageError } from '@parley/journal'
import type { Clock } from '../../ports/clock.ts'

const firstDelayMs = 500
const longestDelayMs = 10_000

/** How the turn loop goes through storage trouble: it pauses, says so once, and tries again when that may help. */
export interface StoragePatience {
  /** Does a write that must not be lost, however long it takes. Rejects when trying again is of no use. */
  persist<Result>(write: () => Result): Promise<Result>
  /** Resolves when another try is due; false when there will be none: the failure is final, or the conversation closes. */
  wait(error: StorageError): Promise<boolean>
  /** A write succeeded: the next trouble is told again. */
  worked(): void
  /** The wait under way ends at once: someone is here and wants it to go on. */
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

/** For what is only a courtesy (text as it comes): a full disk costs it, and what closes it later carries the whole. */
export function unlessStorageFails(write: () => void): void {
  try {
    write()
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
  }
}

/** Passes faults on, but the same storage failure once: a log that is lost throws it at everyone who comes to it. */
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
