export interface WaitLimit {
  readonly waitMs: number
  readonly signal: AbortSignal
}

/** Returns a list of requests that wait for something to come. */
export function createWaiters() {
  const waiting = new Set<() => void>()
  return {
    /** Resolves when the condition holds, `waitMs` has passed or the signal has aborted. */
    async until(isMet: () => boolean, { waitMs, signal }: WaitLimit): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>()
      const look = () => {
        if (isMet() || signal.aborted) resolve()
      }
      const timer = setTimeout(resolve, waitMs)
      signal.addEventListener('abort', look, { once: true })
      waiting.add(look)
      look()
      await promise
      waiting.delete(look)
      signal.removeEventListener('abort', look)
      clearTimeout(timer)
    },
    /** Looks at all conditions. */
    wake(): void {
      for (const look of waiting) look()
    },
  }
}
