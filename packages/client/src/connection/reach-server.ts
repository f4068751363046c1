import { ConnectError, isInTheClear, relayAddress, type Transport } from '@parley/rpc'
import { ClientError } from './errors.ts'

/** Settings by which servers are reached. They also apply to servers that the client connects to later. */
export interface ServerAccess {
  /** Token that every server of the team knows. */
  readonly token?: string
  /** Certificates, in PEM, of authorities that sign certificates of `wss://` servers. Default: the authorities of Node. */
  readonly ca?: string
  /** Permits `ws://` to other machines, where everybody on the way reads the token and the conversation. */
  readonly allowUnencrypted?: boolean
}

/** Means to reach the other servers of a store. */
export interface SharedAccess extends ServerAccess {
  /** Address of a server that was reached; it passes a connection on where another server cannot be reached from here. */
  readonly through?: string
}

interface ReachOptions {
  readonly beatMs?: number
  readonly signal?: AbortSignal
  /** Server that passes the connection on where the address cannot be reached from here. */
  readonly through?: string | undefined
}

/** Time for an address to answer, in ms, before another server is asked to pass the connection on. */
const directMs = 2_000

/** Throws `notSecure` for an address of another machine without TLS, unless it is permitted. */
export function assertSecure(address: string, { allowUnencrypted = false }: ServerAccess): void {
  if (allowUnencrypted || !isInTheClear(address)) return
  throw new ClientError(
    'notSecure',
    `${address} is another machine and has no TLS: token and conversation would be read on the way. Use wss://, bring the server here through ssh, or permit it (allowUnencrypted, in the terminal --allow-unencrypted).`,
  )
}

/**
 * Connects to a server by its address, or else through another one that shares its store. Rejects with `notSecure` or a
 * `ConnectError`; when aborted, with the signal's reason.
 */
export async function reachServer(
  url: string,
  access: ServerAccess,
  { through, ...how }: ReachOptions = {},
): Promise<Transport> {
  if (through === undefined) return await reachDirectly(url, access, how)
  const late = AbortSignal.timeout(directMs)
  const signal = how.signal === undefined ? late : AbortSignal.any([how.signal, late])
  try {
    return await reachDirectly(url, access, { ...how, signal })
  } catch (error) {
    how.signal?.throwIfAborted()
    const failure = late.aborted ? new ConnectError('timedOut', `${url} does not answer`) : error
    if (!(failure instanceof ConnectError) || failure.reason === 'refused') throw failure
    return await reachDirectly(relayAddress(through, url), access, how).catch((cause: unknown) => {
      how.signal?.throwIfAborted()
      // The relay passes the token on, so a refusal through it is final.
      throw cause instanceof ConnectError && cause.reason === 'refused' ? cause : failure
    })
  }
}

async function reachDirectly(
  url: string,
  access: ServerAccess,
  how: Omit<ReachOptions, 'through'>,
): Promise<Transport> {
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
