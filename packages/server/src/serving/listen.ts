import { join } from 'node:path'
import { type Listener, listenSocket } from '@parley/rpc'
import type { Address } from './address.ts'
import type { Connections } from './connections.ts'
import type { ServerArguments } from './read-arguments.ts'
import { readOrMakeToken } from './token-file.ts'

export interface Listening {
  readonly listener: Listener
  /** How others write it: a path, or `ws://HOST:PORT` with the real port. */
  readonly address: string
  /** Where the token for it is; null when it needs none. */
  readonly tokenFile: string | null
}

/** Rejects with `ListenError` or `UsageProblem`: what was asked for must be there. */
export async function listenOn(
  address: Address,
  { tokenFile }: Pick<ServerArguments, 'tokenFile'>,
  { connections, home }: { readonly connections: Pick<Connections, 'accept'>; readonly home: string },
): Promise<Listening> {
  if (address.kind === 'socket') {
    const { path } = address
    const listener = await listenSocket({ path, onConnection: (transport) => connections.accept(transport, 'socket') })
    return { listener, address: path, tokenFile: null }
  }
  // Only who asks for it loads it.
  const { listenWebSocket } = await import('@parley/rpc/websocket')
  const file = tokenFile ?? join(home, 'server-token')
  const listener = await listenWebSocket({
    host: address.host,
    port: address.port,
    token: readOrMakeToken(file),
    onConnection: (transport) => connections.accept(transport, 'websocket'),
  })
  return { listener, address: listener.url, tokenFile: file }
}
