export interface DrainWaiters {
  /** Resolves at once when the level is at most the mark, else when `lowered` finds it there. */
  whenAtMost(mark: number): Promise<void>
  /** To be called whenever the level may have fallen. */
  lowered(): void
}

interface Waiter {
  readonly mark: number
  readonly resolve: () => void
}

/** Who waits for a level (unsent bytes) to fall. */
export function createDrainWaiters(level: () => number): DrainWaiters {
  let waiters: Waiter[] = []

  function whenAtMost(mark: number): Promise<void> {
    if (level() <= mark) return Promise.resolve()
    return new Promise((resolve) => {
      waiters.push({ mark, resolve })
    })
  }

  function lowered(): void {
    if (waiters.length === 0) return
    const waiting = waiters
    waiters = waiting.filter((waiter) => level() > waiter.mark)
    for (const waiter of waiting) if (level() <= waiter.mark) waiter.resolve()
  }

  return { whenAtMost, lowered }
}
