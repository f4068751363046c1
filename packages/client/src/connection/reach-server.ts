import { isInTheClear, type Transport } from '@parley/rpc'
import { ClientError } from './errors.ts'

/** Means to reach servers by their addresses. What a client was given holds for each server that it goes to. */
export interface ServerAccess {
  /** Token that every server of the team knows. */
  readonly token?: string
  /** Certificates, in PEM, of authorities that sign those of `wss://` servers. Default: those of Node. */
  readonly ca?: string
  /** Permits `ws://` to other machines, where everybody on the way reads the token and the conversation. */
  readonly allowUnencrypted?: boolean
}

interface Reaching {
  readonly beatMs?: number
  readonly signal?: AbortSignal
}

/** Throws `notSecure` for an address of another machine without TLS, unless it is permitted. */
export function assertSecure(address: string, { allowUnencrypted = false }: ServerAccess): void {
  if (allowUnencrypted || !isInTheClear(address)) return
  throw new ClientError(
    'notSecure',
    `${address} is another machine and has no TLS: token and conversation would be read on the way. Use wss://, bring the server here through ssh, or permit it (allowUnencrypted, in the terminal --allow-unencrypted).`,
  )
}

/** Connects to a server by its address. Rejects with `notSecure` or a `ConnectError`; when aborted, with the signal's reason. */
export async function reachServer(url: string, access: ServerAccess, how: Reaching = {}): Promise<Transport> {
  assertSecure(url, access)
  const { token, ca } = access
  // Loaded only when used: most connections have no address.
  const { connectWebSocket } = await import('@parley/rpc/websocket')
  return await connectWebSocket({
    url,
    authorities: '--ca-file (in the library `ca`)',
    ...(token === undefined ? {} : { token }),
    ...(ca === undefined ? {} : { ca }),
    ...how,
  })
}
