/** Work that a store did not take, for the time when it answers again. */
export interface DeferredWork {
  /** Adds work, which runs next time and again after each failure. */
  add(run: () => Promise<void>): void
  /** Runs all of it, one after the other. */
  runAll(): Promise<void>
}

export function createDeferredWork(): DeferredWork {
  const left = new Set<() => Promise<void>>()
  return {
    add: (run) => void left.add(run),
    async runAll() {
      const now = [...left]
      left.clear()
      for (const run of now) await run().catch(() => left.add(run))
    },
  }
}
