import { ConnectError, connectSocket, type Transport } from '@parley/rpc'
import { ClientError } from '../connection/errors.ts'
import type { Ending } from '../parley.ts'
import { findServer, parleyHome } from './find-server.ts'
import { discardServer, leaveServer } from './leave-server.ts'
import { explainExit, spawnServer } from './spawn-server.ts'

/** Which server to talk to. */
export type Target =
  | { readonly spawn: SpawnTarget }
  /** Path of the Unix socket of a running server. */
  | { readonly socket: string }
  /** `ws://host:port`, with the token of `parley server --listen ws://…`. */
  | { readonly url: string; readonly token?: string }

/** A server of our own, which ends with us. */
export interface SpawnTarget {
  /** Program and arguments. Default: `$PARLEY_BIN server`, or `parley server` from the PATH. */
  readonly command?: readonly [string, ...string[]]
  /** All of its environment. Default: ours. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** The most that any conversation of it may be allowed. Default: `workspace-write`, or what the user's `config.toml` says if that is more. */
  readonly maxSandbox?: 'read-only' | 'workspace-write' | 'danger-full-access'
  /** With full access: nobody need be asked. Default: only where the user's `config.toml` says so. */
  readonly allowNever?: boolean
}

/** The way to a server, before the handshake, and what becomes of the server afterwards. */
export interface Link extends Ending {
  readonly transport: Transport
  /** Instead of leaving, when there was no handshake: nobody else can need that server. */
  discard(): Promise<void>
}

export async function openLink(target: Target, signal: AbortSignal | undefined): Promise<Link> {
  if ('spawn' in target) return spawnLink(target.spawn)
  try {
    return remoteLink(await connectTransport(target, signal))
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error
    // Whoever refuses us is running.
    const question = error.reason === 'refused' ? '' : ' Is the server running?'
    throw new ClientError('serverFailed', `${error.message}.${question}`, error)
  }
}

/** Only who gives an address loads the websocket library. */
async function connectTransport(target: Exclude<Target, { spawn: SpawnTarget }>, signal: AbortSignal | undefined) {
  if ('socket' in target) return await connectSocket(target.socket)
  const { connectWebSocket } = await import('@parley/rpc/websocket')
  return await connectWebSocket(signal === undefined ? target : { ...target, signal })
}

function remoteLink(transport: Transport): Link {
  return {
    transport,
    async explain() {
      const { code, detail } = await transport.closed
      const why = detail ?? (code === 'ended' ? 'the server hung up' : code)
      return new ClientError('connectionClosed', `The connection to the server was lost (${why}). Connect and resume.`)
    },
    async leave({ close }) {
      await close()
      return null
    },
    discard: () => transport.close(),
  }
}

function withCeiling(
  [program, ...args]: readonly [string, ...string[]],
  { maxSandbox, allowNever }: Pick<SpawnTarget, 'maxSandbox' | 'allowNever'>,
): readonly [string, ...string[]] {
  const most = maxSandbox === undefined ? [] : ['--max-sandbox', maxSandbox]
  return [program, ...args, ...most, ...(allowNever === true ? ['--allow-never'] : [])]
}

function spawnLink({ command, env = process.env, ...ceiling }: SpawnTarget): Link {
  const server = spawnServer({ command: withCeiling(command ?? findServer(env), ceiling), env, home: parleyHome(env) })
  return {
    transport: server.transport,
    explain: async () => new ClientError('connectionClosed', await explainExit(server)),
    leave: (leaving) => leaveServer(server, leaving),
    async discard() {
      await discardServer(server)
    },
  }
}
