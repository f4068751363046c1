import type { SharedLoopbacks } from '../sandbox/shared-loopbacks.ts'
import { portErrors } from '../wire/requests.ts'
import { PortConnection } from './port-connection.ts'

/** Connections of one session to ports in its loopbacks. */
export interface OpenPorts {
  /** Connects; a connection of this id stays as it is. Rejects with `portNotReachable`, `tooManyConnections`. */
  connect(connectionId: string, wanted: { readonly loopback: string; readonly port: number }): Promise<unknown>
  /** Resolves to a connection. Rejects with `unknownConnection`. */
  connection(connectionId: string): Promise<PortConnection>
  /** Returns false for an unknown id. */
  close(connectionId: string): boolean
  closeAll(): void
}

/** Limit of connections of a session: their requests must leave room for others. */
const maxConnections = 128

export function createOpenPorts(loopbacks: Pick<SharedLoopbacks, 'named'>): OpenPorts {
  const opened = new Map<string, Promise<PortConnection>>()
  const dial = async (connectionId: string, { loopback, port }: Parameters<OpenPorts['connect']>[1]) => {
    for (const one of await loopbacks.named(loopback)) {
      const socket = await one.connect(port).catch(() => null)
      if (socket !== null) return new PortConnection(connectionId, socket)
    }
    throw portErrors.notReachable(port)
  }
  const close = (connectionId: string) => {
    const connection = opened.get(connectionId)
    opened.delete(connectionId)
    // One that is still being made is closed when it is there.
    connection?.then((made) => made.close()).catch(() => undefined)
    return connection !== undefined
  }
  return {
    connect(connectionId, wanted) {
      const known = opened.get(connectionId)
      if (known !== undefined) return known
      if (opened.size >= maxConnections) return Promise.reject(portErrors.tooMany(maxConnections))
      const connection = dial(connectionId, wanted)
      opened.set(connectionId, connection)
      connection.catch(() => opened.delete(connectionId))
      return connection
    },
    connection: (connectionId) => opened.get(connectionId) ?? Promise.reject(portErrors.unknown(connectionId)),
    close,
    closeAll() {
      for (const connectionId of opened.keys()) close(connectionId)
    },
  }
}
