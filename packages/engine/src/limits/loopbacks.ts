import type { Duplex } from 'node:stream'
import type { Loopback, Sandboxes, SandboxLimits } from '@parley/host'
import { EnvironmentUnreachableError, PortRefusedError } from '@parley/workspace'
import { rejection } from '../replies/rejection.ts'

/** Loopbacks of one conversation, each made when it is first needed. */
export interface Loopbacks {
  /** Resolves to the loopback that commands of these limits share; null where each has its own, or the network. */
  sharedBy(limits: SandboxLimits): Promise<Loopback | null>
  /** Connects to a port on which a command listens in any loopback. Rejects with `portNotReachable` for any other port. */
  connect(port: number): Promise<Duplex>
  close(): Promise<void>
}

/** Creates the loopbacks: one for each set of limits, so that no command can use a server with more rights. */
export function createLoopbacks(
  sandboxes: Pick<Sandboxes, 'openLoopback' | 'loopbackElsewhere'>,
  conversation: string,
): Loopbacks {
  const elsewhere = sandboxes.loopbackElsewhere?.(conversation) ?? null
  const made = new Map<string, Promise<Loopback | null>>()
  let isClosed = false
  return {
    async sharedBy(limits) {
      if (limits.network || isClosed) return null
      const key = JSON.stringify([limits.mode, limits.unixSockets, ...limits.writableRoots])
      const loopback = made.get(key) ?? sandboxes.openLoopback(conversation)
      made.set(key, loopback)
      return await loopback
    },
    async connect(port) {
      const here = (await Promise.all(made.values())).filter((loopback) => loopback !== null)
      const all = elsewhere === null ? here.reverse() : [elsewhere]
      for (const loopback of all) {
        const stream = await loopback.connect(port).catch(nullUnlessRefused)
        if (stream !== null) return stream
      }
      throw rejection('portNotReachable', notReachable(port, made.size > 0 && all.length === 0), { field: 'port' })
    },
    async close() {
      isClosed = true
      const all = await Promise.all(made.values())
      for (const loopback of all) loopback?.close()
    },
  }
}

/** Returns null where nothing listens. Throws a rejection where an environment cannot look for a listener. */
function nullUnlessRefused(error: unknown): null {
  if (error instanceof PortRefusedError || error instanceof EnvironmentUnreachableError)
    throw rejection('portNotReachable', error.message, { field: 'port' })
  return null
}

function notReachable(port: number, isApart: boolean): string {
  if (isApart) return 'The commands of this conversation share no network here, so no port of theirs can be forwarded.'
  return `Nothing listens on port ${port} in the sandbox of this conversation. Have the server started in the background first; one that runs with the network or outside the sandbox is on the localhost of its machine without a forward.`
}
