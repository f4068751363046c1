import type { ClientId, ConnectedClient, LoginCompleted, ServerNotice, UserName } from '@parley/protocol'

/** Connection that server-wide notices are sent to. */
interface Connection {
  notice(notice: ServerNotice): void
  /** Sends the end of a login; does nothing for a client that may not log in. */
  loginCompleted(end: LoginCompleted): void
  /** Returns the client; null before its handshake. */
  describe(): ConnectedClient | null
}

/** Clients that are connected to this server. */
export interface ConnectedClients {
  /** Adds a connection and returns the function that removes it. */
  add(client: Connection): () => void
  newId(): ClientId
  notifyAll(notice: ServerNotice): void
  announceLogin(end: LoginCompleted): void
  describe(): ConnectedClient[]
  /** Returns the title, with a number when another client of the same user has it. */
  distinctTitle(wanted: string, user: UserName | undefined): string
}

/** `newId` makes the id of a client that connects. */
export function createConnectedClients(newId: () => ClientId): ConnectedClients {
  const connected = new Set<Connection>()
  const describe = () => [...connected].map((client) => client.describe()).filter((client) => client !== null)
  return {
    newId,
    add(client) {
      connected.add(client)
      return () => connected.delete(client)
    },
    notifyAll(notice) {
      for (const client of connected) client.notice(notice)
    },
    announceLogin(end) {
      for (const client of connected) client.loginCompleted(end)
    },
    describe,
    distinctTitle(wanted, user) {
      const ofUser = describe().filter((client) => client.user === user)
      const taken = new Set(ofUser.map(({ title }) => title))
      let title = wanted
      for (let number = 2; taken.has(title); number += 1) title = `${wanted} ${number}`
      return title
    },
  }
}
