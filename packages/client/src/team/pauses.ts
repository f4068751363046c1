import { setTimeout as pause } from 'node:timers/promises'

const firstMs = 100
const longestMs = 5_000

/** Pauses between attempts, each twice as long as the one before up to 5 s. */
export interface Pauses {
  /** Resolves after the next pause, or at once when the signal aborts. */
  next(): Promise<void>
}

export function pausesOf(signal: AbortSignal | undefined): Pauses {
  let delayMs = firstMs
  return {
    async next() {
      const now = delayMs
      delayMs = Math.min(2 * delayMs, longestMs)
      await pause(now, undefined, signal === undefined ? {} : { signal }).catch(() => undefined)
    },
  }
}
