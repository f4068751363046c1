import type { Loopback, Sandboxes, SandboxLimits } from '@parley/host'

/** Loopbacks of one conversation, made when they are first needed. */
export interface Loopbacks {
  /** Resolves to the one that commands of these limits share; null where each has a loopback of its own, or the network. */
  sharedBy(limits: SandboxLimits): Promise<Loopback | null>
  close(): Promise<void>
}

type SharedLimits = Pick<SandboxLimits, 'mode' | 'writableRoots' | 'unixSockets'>

/** Creates the loopbacks: one for each set of limits, so that no command has a server with more rights act for it. */
export function createLoopbacks(sandboxes: Pick<Sandboxes, 'openLoopback'>): Loopbacks {
  const made = new Map<string, Promise<Loopback | null>>()
  let isClosed = false
  return {
    async sharedBy(limits) {
      if (limits.network || isClosed) return null
      const key = keyOf(limits)
      const loopback = made.get(key) ?? sandboxes.openLoopback()
      made.set(key, loopback)
      return await loopback
    },
    async close() {
      isClosed = true
      const all = await Promise.all(made.values())
      for (const loopback of all) loopback?.close()
    },
  }
}

function keyOf({ mode, writableRoots, unixSockets }: SharedLimits): string {
  return JSON.stringify([mode, unixSockets, ...writableRoots])
}
