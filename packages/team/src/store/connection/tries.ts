import { setTimeout as pause } from 'node:timers/promises'
import { STORE_SLOW, StorageError } from '@parley/journal'
import { storeError } from './store-trouble.ts'

/** Time after which a store that has not answered is said to be slow, in ms. */
const slowMs = 3000
const shortestPauseMs = 100
const longestPauseMs = 500

/** Calls of a store that are tried again for as long as that can help. */
export interface Tries {
  /** Runs until it succeeds. Rejects with `StorageError` when the failure is final, or after the end. */
  persist<Result>(run: () => Promise<Result>): Promise<Result>
  /** Error of the call that is tried now, or waits for an answer for long; null without one. */
  readonly trouble: StorageError | null
  /** Makes the next failure final. */
  end(): void
}

export function createTries(store: string): Tries {
  const ending = new AbortController()
  let passing: StorageError | null = null
  let sentAtMs: number | null = null

  return {
    async persist(run) {
      for (let pauseMs = shortestPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
        sentAtMs = performance.now()
        try {
          const result = await run()
          passing = null
          return result
        } catch (cause) {
          const error = storeError('write to', store, cause)
          if (!error.retryable || ending.signal.aborted) throw error
          passing = error
          await pause(pauseMs, undefined, { signal: ending.signal }).catch(() => undefined)
        } finally {
          sentAtMs = null
        }
      }
    },
    get trouble() {
      if (passing !== null || sentAtMs === null || performance.now() - sentAtMs < slowMs) return passing
      return new StorageError({ code: STORE_SLOW, operation: 'write to', path: store })
    },
    end: () => ending.abort(),
  }
}
