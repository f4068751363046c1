/** Number of the newest event of a process, and whether more can follow. */
export interface OutputProgress {
  readonly seq: number
  /** True once nothing can follow. */
  readonly isOver: boolean
}

export interface OutputWaiters {
  /** Resolves when an event above `seq` exists, none can follow, `waitMs` has passed or the signal has aborted. */
  after(seq: number, until: { readonly waitMs: number; readonly signal: AbortSignal }): Promise<void>
  wake(): void
}

export function createOutputWaiters(progress: () => OutputProgress): OutputWaiters {
  const waiting = new Set<() => void>()
  return {
    async after(seq, { waitMs, signal }) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const look = () => {
        const { seq: current, isOver } = progress()
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
