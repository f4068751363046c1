import type { Socket } from 'node:net'
import type { Loopback, Sandboxes, SandboxLimits } from '@parley/host'
import { rejection } from '../../replies/rejection.ts'

/** Loopbacks of one conversation, made when they are first needed. */
export interface Loopbacks {
  /** Resolves to the one that commands of these limits share; null where each has a loopback of its own, or the network. */
  sharedBy(limits: SandboxLimits): Promise<Loopback | null>
  /** Connects to a port on which a command listens in any of them. Rejects with `portNotReachable` where there is none. */
  connect(port: number): Promise<Socket>
  close(): Promise<void>
}

type SharedLimits = Pick<SandboxLimits, 'mode' | 'writableRoots' | 'unixSockets'>

/** Creates the loopbacks: one for each set of limits, so that no command has a server with more rights act for it. */
export function createLoopbacks(sandboxes: Pick<Sandboxes, 'openLoopback'>, conversation: string): Loopbacks {
  const made = new Map<string, Promise<Loopback | null>>()
  let isClosed = false
  return {
    async sharedBy(limits) {
      if (limits.network || isClosed) return null
      const key = keyOf(limits)
      const loopback = made.get(key) ?? sandboxes.openLoopback(conversation)
      made.set(key, loopback)
      return await loopback
    },
    async connect(port) {
      const all = (await Promise.all(made.values())).filter((loopback) => loopback !== null)
      if (all.some(({ name }) => name !== undefined))
        throw rejection('portNotReachable', notFromHere, { field: 'port' })
      for (const loopback of all.reverse()) {
        const socket = await loopback.connect(port).catch(() => null)
        if (socket !== null) return socket
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

const notFromHere =
  'The commands of this conversation run in an environment, and no port there can be forwarded from here. Commands of the conversation reach it on localhost.'

function notReachable(port: number, isApart: boolean): string {
  if (isApart) return 'The commands of this conversation share no network here, so no port of theirs can be forwarded.'
  return `Nothing listens on port ${port} in the sandbox of this conversation. Have the server started in the background first; one that runs with the network or outside the sandbox is on localhost without a forward.`
}

function keyOf({ mode, writableRoots, unixSockets }: SharedLimits): string {
  return JSON.stringify([mode, unixSockets, ...writableRoots])
}
