import { createPeer, type Transport } from '@parley/rpc'
import type { Engine } from '../engine/engine.ts'
import { rejection } from '../engine/replies/rejection.ts'
import {
  type ConnectionKind,
  openConnection,
  type ServedConnection,
} from '../frontends/conversation/serve-connection.ts'

/** Everyone connected to this process, by whatever way. */
export interface Connections {
  readonly count: number
  accept(transport: Transport, kind: ConnectionKind): void
  /** Nobody is let in any more, nothing more is done for anyone; resolves when all are gone. */
  close(): Promise<void>
}

interface ConnectionsOptions {
  readonly engine: Engine
  /** After each coming and going. */
  readonly onChange: () => void
  readonly maxClients?: number
  /** How long one may be connected without saying who it is; its own client on stdio may take its time. */
  readonly greetingMs?: number
}

export function createConnections(options: ConnectionsOptions): Connections {
  const { engine, onChange, maxClients = 256, greetingMs = 10_000 } = options
  const served = new Set<ServedConnection>()
  let closing = false

  function accept(transport: Transport, kind: ConnectionKind): void {
    if (closing) void transport.close()
    else if (served.size >= maxClients) turnAway(transport, maxClients)
    else admit(transport, kind)
  }

  function admit(transport: Transport, kind: ConnectionKind): void {
    const connection = openConnection(transport, engine, kind)
    const hurry = setTimeout(() => connection.isGreeted || void connection.close(), greetingMs).unref()
    if (kind === 'stdio') clearTimeout(hurry)
    served.add(connection)
    onChange()
    void connection.gone.then(() => {
      clearTimeout(hurry)
      served.delete(connection)
      onChange()
    })
  }

  return {
    get count() {
      return served.size
    },
    accept,
    async close() {
      closing = true
      const all = [...served]
      await Promise.all(all.map((connection) => connection.close()))
      await Promise.all(all.map(({ gone }) => gone))
    },
  }
}

const lastWordsMs = 1000

/** Its first request, which must be `initialize`, is answered; then it is shown out. */
function turnAway(transport: Transport, maxClients: number): void {
  const leave = () => void peer.close()
  const expired = setTimeout(leave, lastWordsMs)
  const initialize = () => {
    setImmediate(leave)
    throw rejection(
      'serverOverloaded',
      `This server has ${maxClients} clients already. Close some, or try again later.`,
    )
  }
  const peer = createPeer({ transport, methods: { initialize } })
  void peer.closed.then(() => clearTimeout(expired))
}
