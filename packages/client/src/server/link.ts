import { ConnectError, connectSocket, type Transport } from '@parley/rpc'
import { ClientError, rejectedToken } from '../connection/errors.ts'
import { reachServer, type ServerAccess } from '../connection/reach-server.ts'
import { findServer, parleyHome } from './find-server.ts'
import { type ConnectionEnd, discardServer, type EndNotice, leaveServer } from './leave-server.ts'
import { explainExit, type SpawnedServer, spawnServer } from './spawn-server.ts'

/** The server to connect to. */
export type Target =
  | { readonly spawn: SpawnTarget }
  /**
   * A server that `spawnServer` has started already, for example before the rest of the program was loaded. `token`
   * lets the client follow a conversation to other servers of the store.
   */
  | { readonly server: SpawnedServer; readonly token?: string }
  /** Path of the Unix socket of a running server. */
  | { readonly socket: string }
  /** A server at its address: `wss://host:port`, `ws://` on this machine. */
  | ({ readonly url: string } & ServerAccess)
  | SeveralServers
  /** An open transport of `@parley/rpc`, for example to a server in this process. */
  | { readonly transport: Transport }

/** Servers that share a store. A connection that is lost is made again, to the same server or to the next one. */
export interface SeveralServers extends ServerAccess {
  /** `wss://host:port`, `ws://` on this machine; the first that answers is taken. */
  readonly urls: readonly string[]
}

/** A server started for this program, which ends when the connection is closed. */
export interface SpawnTarget {
  /** Program and arguments. Default: `$PARLEY_BIN server`, or `parley server` from the PATH. */
  readonly command?: readonly [string, ...string[]]
  /** The complete environment of the server. Default: `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** The ceiling for every conversation of the server. Default: `workspace-write`, or the mode in the user's `config.toml` if it allows more. */
  readonly maxSandbox?: 'read-only' | 'workspace-write' | 'danger-full-access'
  /** Permits `never` as approval policy together with full access. Default: only where the user's `config.toml` says so. */
  readonly allowNever?: boolean
  /** Folders with secrets that conversations may nevertheless work in. */
  readonly secretFolders?: readonly string[]
}

/** A transport to a server before the handshake, with the ways to leave that server. */
export interface ServerLink extends ConnectionEnd {
  readonly transport: Transport
  /** Process id of a server that was started here, else null. */
  readonly serverPid: number | null
  /** Ends a server that has not answered the handshake, instead of `leave`, and resolves as `leave` does. */
  discard(): Promise<EndNotice | null>
}

/** Starts or reaches the server. Throws `serverNotFound`, `serverUnreachable` and `accessEnded`; rejects with the signal's reason on abort. */
export async function openLink(
  target: Exclude<Target, SeveralServers>,
  signal: AbortSignal | undefined,
): Promise<ServerLink> {
  if ('server' in target) return ownedLink(target.server)
  if ('spawn' in target) return ownedLink(startServer(target.spawn))
  if ('transport' in target) return remoteLink(target.transport)
  try {
    const transport =
      'socket' in target
        ? await connectSocket(target.socket)
        : await reachServer(target.url, target, signal === undefined ? {} : { signal })
    return remoteLink(transport)
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error
    if ('url' in target && error.reason === 'refused') throw rejectedToken(error.message)
    const question = error.reason === 'unreachable' || error.reason === 'timedOut' ? ' Is the server running?' : ''
    throw new ClientError('serverUnreachable', `${error.message}.${question}`, error)
  }
}

function remoteLink(transport: Transport): ServerLink {
  return {
    transport,
    serverPid: null,
    async explain() {
      const { code, detail } = await transport.closed
      const why = detail ?? (code === 'ended' ? 'the server hung up' : code)
      return new ClientError('connectionClosed', `The connection to the server was lost (${why}). Connect and resume.`)
    },
    async leave({ close }) {
      await close()
      return null
    },
    async discard() {
      await transport.close()
      return null
    },
  }
}

function withCeiling(
  [program, ...args]: readonly [string, ...string[]],
  { maxSandbox, allowNever, secretFolders = [] }: Pick<SpawnTarget, 'maxSandbox' | 'allowNever' | 'secretFolders'>,
): readonly [string, ...string[]] {
  const most = maxSandbox === undefined ? [] : ['--max-sandbox', maxSandbox]
  const allowed = secretFolders.map((folder) => `--allow-secret-folder=${folder}`)
  return [program, ...args, ...most, ...(allowNever === true ? ['--allow-never'] : []), ...allowed]
}

function startServer({ command, env = process.env, ...ceiling }: SpawnTarget): SpawnedServer {
  // A program in JavaScript may pass a string, and its first letter would be started.
  if (command !== undefined && !Array.isArray(command))
    throw new ClientError('invalidParams', '`spawn.command` is a list: [program, ...arguments].')
  return spawnServer({ command: withCeiling(command ?? findServer(env), ceiling), env, home: parleyHome(env) })
}

function ownedLink(server: SpawnedServer): ServerLink {
  return {
    transport: server.transport,
    serverPid: server.pid ?? null,
    explain: () => explainExit(server),
    leave: (leaving) => leaveServer(server, leaving),
    discard: () => discardServer(server),
  }
}
