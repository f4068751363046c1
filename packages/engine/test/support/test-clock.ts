import type { Clock } from '../../src/ports/clock-and-ids.ts'

export interface TestClock extends Clock {
  /** Durations of the sleeps in ms, oldest first. */
  readonly sleeps: readonly number[]
  /** Holds every later sleep until it is aborted or released. */
  holdSleeps(): void
  /** Ends the current sleeps. */
  release(): void
}

/** Clock whose time passes only when it is read; a sleep ends at once unless held. */
export function testClock(): TestClock {
  const sleeps: number[] = []
  const sleepers = new Set<() => void>()
  let nowMs = Date.UTC(2025, 0, 1)
  let held = false
  return {
    sleeps,
    now: () => ++nowMs,
    elapsed: () => performance.now(),
    sleep(delayMs, signal) {
      sleeps.push(delayMs)
      nowMs += delayMs
      if (!held || signal.aborted) return new Promise((resolve) => setImmediate(resolve))
      return new Promise((resolve) => {
        sleepers.add(resolve)
        signal.addEventListener('abort', () => resolve(), { once: true })
      })
    },
    holdSleeps() {
      held = true
    },
    release() {
      for (const wake of sleepers) wake()
      sleepers.clear()
    },
  }
}
