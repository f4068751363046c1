import { ConnectionClosedError } from '@parley/rpc'
import type { Client } from './client.ts'
import { ClientError, closedHere } from './errors.ts'
import { withinLimit } from './within-limit.ts'

/** A connection that keeps the reason of its end. */
export interface WatchedConnection {
  /** Client that rejects requests with the reason of the connection's end. */
  readonly client: Client
  /** Aborts with the reason when the connection is gone. */
  readonly signal: AbortSignal
  /** Resolves to the reason of a loss, or to null after closing it here. */
  readonly closed: Promise<ClientError | null>
}

/** Time for the reason of a loss: a server that closed its stdout exits within milliseconds, unless it hangs. */
const explainLimit = {
  limitMs: 1_000,
  expired: () =>
    new ClientError(
      'connectionClosed',
      'The server closed the connection and has not ended. What was shown is saved: connect and resume.',
    ),
}

/** Watches a connection. `closing` aborts before it is closed here; otherwise `explain` gives the reason within 1 s. */
export function watchConnection(
  client: Client,
  closing: AbortSignal,
  explain: () => Promise<ClientError>,
): WatchedConnection {
  const lost = new AbortController()
  const closed = client.closed.then(async () => {
    const reason = closing.aborted ? closedHere() : await withinLimit(explain(), explainLimit).catch(reasonOf)
    lost.abort(reason)
    return closing.aborted ? null : reason
  })
  const request: Client['request'] = async (method, params) => {
    try {
      return await client.request(method, params)
    } catch (error) {
      throw error instanceof ConnectionClosedError ? ((await closed) ?? closedHere()) : error
    }
  }
  const { introduction, onEvent, onListChanged, onClients, onAccessEnded, follows } = client
  const watched: Client = {
    introduction,
    request,
    onEvent,
    onListChanged,
    onClients,
    onAccessEnded,
    follows,
    closed: client.closed,
    // A lasting client changes its connection, and with it these two.
    get server() {
      return client.server
    },
    get isSafe() {
      return client.isSafe
    },
    close: () => client.close(),
    [Symbol.asyncDispose]: () => client.close(),
  }
  return { client: watched, signal: lost.signal, closed }
}

function reasonOf(error: unknown): ClientError {
  return error instanceof ClientError ? error : new ClientError('connectionClosed', 'The connection was lost.', error)
}
