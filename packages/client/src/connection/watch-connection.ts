import { ConnectionClosedError } from '@parley/rpc'
import type { Client } from './client.ts'
import { ClientError } from './errors.ts'

/** A connection that says why it went down. */
export interface Watched {
  /** Its requests fail with why the connection went down, not only that it did. */
  readonly client: Client
  /** Aborts with why it is gone. */
  readonly signal: AbortSignal
  /** Null when we closed it. */
  readonly closed: Promise<ClientError | null>
}

/** `closing` aborts before we close it ourselves; `explain` is asked when nobody here did. */
export function watchConnection(client: Client, closing: AbortSignal, explain: () => Promise<ClientError>): Watched {
  const lost = new AbortController()
  const closed = client.closed.then(async () => {
    const reason = closing.aborted ? closedHere() : await explain()
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
  return { client: { ...client, request }, signal: lost.signal, closed }
}

function closedHere(): ClientError {
  return new ClientError('closed', 'The connection was closed here.')
}
