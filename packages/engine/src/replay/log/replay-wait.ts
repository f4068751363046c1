/** Waits of a replay for its place in the log. */
export interface ReplayWait {
  /** Resolves with what `look` finds, looked for again after each change; with null once the signal aborts. */
  until<Found>(look: () => Found | null, signal?: AbortSignal): Promise<Found | null>
  /** Makes every wait look again. */
  changed(): void
  /** Ends all waits for good. They never resolve. */
  abandon(): void
  readonly isAbandoned: boolean
}

export function createReplayWait(): ReplayWait {
  let waiting: (() => void)[] = []
  let isAbandoned = false
  return {
    async until(look, signal) {
      for (;;) {
        if (signal?.aborted === true) return null
        const found = isAbandoned ? null : look()
        if (found !== null) return found
        await new Promise<void>((resolve) => {
          waiting.push(resolve)
          signal?.addEventListener('abort', () => resolve(), { once: true })
        })
      }
    },
    changed() {
      if (isAbandoned) return
      const woken = waiting
      waiting = []
      for (const wake of woken) wake()
    },
    get isAbandoned() {
      return isAbandoned
    },
    abandon() {
      isAbandoned = true
      waiting = []
    },
  }
}
