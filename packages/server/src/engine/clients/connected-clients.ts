import type { ConnectedClient, ServerNotice } from '@parley/protocol'

/** A connection, as the engine speaks to it outside any conversation. */
interface Connection {
  notice(notice: ServerNotice): void
  /** Null before its handshake. */
  describe(): ConnectedClient | null
}

/** Who is connected to this server. */
export interface ConnectedClients {
  /** Returns how it leaves again. */
  add(client: Connection): () => void
  notifyAll(notice: ServerNotice): void
  describe(): ConnectedClient[]
  /** What to call a client so that people can tell it from the others: the title it wants, or that with a number. */
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
