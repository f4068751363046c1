import type { ConnectedClient, ServerNotice } from '@parley/protocol'

/** Connection that server-wide notices are sent to. */
interface Connection {
  notice(notice: ServerNotice): void
  /** Returns the client; null before its handshake. */
  describe(): ConnectedClient | null
}

/** Clients that are connected to this server. */
export interface ConnectedClients {
  /** Adds a connection and returns the function that removes it. */
  add(client: Connection): () => void
  notifyAll(notice: ServerNotice): void
  describe(): ConnectedClient[]
  /** Returns the wanted title, with a number when another client has it. */
  distinctTitle(wanted: string): string
}

export function createConnectedClients(): ConnectedClients {
  const connected = new Set<Connection>()
  const describe = () => [...connected].map((client) => client.describe()).filter((client) => client !== null)
  return {
    add(client) {
      connected.add(client)
      return () => connected.delete(client)
    },
    notifyAll(notice) {
      for (const client of connected) client.notice(notice)
    },
    describe,
    distinctTitle(wanted) {
      const taken = new Set(describe().map(({ title }) => title))
      let title = wanted
      for (let number = 2; taken.has(title); number += 1) title = `${wanted} ${number}`
      return title
    },
  }
}
