/** Where a process stands, for those who wait for more. */
export interface Standing {
  readonly seq: number
  /** Nothing follows. */
  readonly isOver: boolean
}

export interface OutputWaiters {
  /** Resolves when there is something above `seq`, when there never will be, and when waiting has no more sense. */
  after(seq: number, until: { readonly waitMs: number; readonly signal: AbortSignal }): Promise<void>
  wake(): void
}

export function createOutputWaiters(standing: () => Standing): OutputWaiters {
  const waiting = new Set<() => void>()
  return {
    async after(seq, { waitMs, signal }) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const look = () => {
        const { seq: current, isOver } = standing()
        if (current > seq || isOver || signal.aborted) resolve()
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
