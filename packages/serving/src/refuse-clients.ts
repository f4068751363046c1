import { ListenError, type Listener } from '@parley/rpc'
import { type Address, type TlsPaths, UsageError } from './flags.ts'
import { readTls } from './listen.ts'

/**
 * Listens for as long as a server cannot serve: `/healthz` is answered with 200, `/readyz` with 503, and clients are turned
 * away, so that they go to another server. Resolves to null where nobody could know the address, or it is taken.
 */
export async function refuseClients(address: Address, tls: TlsPaths | null): Promise<Listener | null> {
  if (address.kind === 'socket' || address.port === 0) return null
  const { listenWebSocket } = await import('@parley/rpc/websocket')
  const { host, port } = address
  try {
    return await listenWebSocket({
      ...{ host, port },
      ...(address.isSecure === true && tls !== null ? { tls: readTls(tls) } : {}),
      // Any client: the server that serves it checks its token.
      ...{ token: null, onConnection: (transport) => void transport.close() },
      admit: () => (transport) => void transport.close(),
      unready: () => 'The server waits for its store.',
    })
  } catch (error) {
    // The server listens again once its store is there, and reports the error then.
    if (error instanceof ListenError || error instanceof UsageError) return null
    throw error
  }
}
