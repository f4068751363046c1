/** Longest delay of a timer; with a longer one it fires at once. */
const maxTimerMs = 2 ** 31 - 1

/** Lateness in ms from which on a timer was not late for lack of turns: the process was stopped, or the machine slept. */
const asleepMs = 1_000

export interface AwakeTimeout {
  /** Starts the time anew. */
  refresh(): void
  stop(): void
  /** Returns the rest of the delay in ms. */
  leftMs(): number
}

/**
 * Calls `act` after a delay, counting only time while this process can run. After a sleep the whole delay starts anew:
 * the awaited event could not come meanwhile, and may be there already.
 */
export function awakeTimeout(delayMs: number, act: () => void): AwakeTimeout {
  const limitMs = Math.max(0, Math.min(delayMs, maxTimerMs))
  let dueMs = performance.now() + limitMs
  const timer = setTimeout(() => {
    if (performance.now() - dueMs < asleepMs) act()
    else refresh()
  }, limitMs)
  function refresh(): void {
    dueMs = performance.now() + limitMs
    timer.refresh()
  }
  return { refresh, stop: () => clearTimeout(timer), leftMs: () => Math.max(0, dueMs - performance.now()) }
}
