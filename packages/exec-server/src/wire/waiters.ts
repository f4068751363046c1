/** Requests that wait for something to come. */
export interface Waiters {
  /** Resolves when the condition holds, `waitMs` has passed or the signal has aborted. */
  until(isMet: () => boolean, limit: WaitLimit): Promise<void>
  /** Looks at all conditions. */
  wake(): void
}

export interface WaitLimit {
  readonly waitMs: number
  readonly signal: AbortSignal
}

export function createWaiters(): Waiters {
  const waiting = new Set<() => void>()
  return {
    async until(isMet, { waitMs, signal }) {
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
    wake() {
      for (const look of waiting) look()
    },
  }
}
