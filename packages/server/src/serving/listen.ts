import { join } from 'node:path'
import { readUnlocked } from '@parley/host'
import { ListenError, type Listener, listenSocket, type Transport } from '@parley/rpc'
import type { TlsFiles } from '@parley/rpc/websocket'
import { type Address, type TlsPaths, UsageError } from './flags.ts'
import { listenInRunFolder } from './run-folder.ts'
import { readOrMakeToken } from './token-file.ts'

/** Receiver of the connections that listeners accept. */
interface Acceptor {
  accept(transport: Transport, kind: 'socket' | 'websocket'): void
}

interface Listening {
  readonly listener: Listener
  /** Address as users write it: a path, or `ws://HOST:PORT` (`wss://` with TLS) with the port in use. */
  readonly address: string
  /** Token file of the address; null when it needs none. */
  readonly tokenFile: string | null
}

/** Listens on one address. Rejects with `ListenError` or `UsageError`. */
export async function listenOn(
  address: Address,
  { tokenFile, tls = null }: { readonly tokenFile: string | null; readonly tls?: TlsPaths | null },
  { connections, home, isReady, metrics }: Pick<ListenersOptions, 'connections' | 'home' | 'isReady' | 'metrics'>,
): Promise<Listening> {
  if (address.kind === 'socket') {
    const { path } = address
    const listener = await listenSocket({ path, onConnection: (transport) => connections.accept(transport, 'socket') })
    return { listener, address: path, tokenFile: null }
  }
  // Loaded only when used, to keep the start short.
  const { listenWebSocket } = await import('@parley/rpc/websocket')
  const file = tokenFile ?? join(home, 'server-token')
  const listener = await listenWebSocket({
    host: address.host,
    port: address.port,
    token: readOrMakeToken(file),
    ...(address.isSecure === true && tls !== null ? { tls: readTls(tls) } : {}),
    onConnection: (transport) => connections.accept(transport, 'websocket'),
    ...(isReady === undefined ? {} : { isReady }),
    ...(metrics === undefined ? {} : { metrics }),
  })
  return { listener, address: listener.url, tokenFile: file }
}

function readTls({ certFile, keyFile }: TlsPaths): TlsFiles {
  return { cert: readPem(certFile), key: readPem(keyFile) }
}

function readPem(path: string): string {
  try {
    return readUnlocked(path)
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${error instanceof Error ? error.message : error}.`, { cause: error })
  }
}

/** Addresses at which a server process can be reached besides stdin. */
export interface Listeners {
  /** Socket by which others find this process; null when it could not be made. */
  readonly socket: string | null
  /** Listeners that were requested. */
  readonly others: readonly Listening[]
  /** Websocket by which clients on other machines and other servers reach this one; null for none. */
  readonly announced: string | null
  close(): Promise<void>
}

interface ListenersOptions {
  readonly args: {
    readonly listen: readonly Address[]
    readonly tokenFile: string | null
    readonly tls: TlsPaths | null
    readonly advertise: string | null
  }
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  readonly connections: Acceptor
  /** Resolves to true while clients can be served, for `/readyz` of websockets. Default: always. */
  readonly isReady?: () => Promise<boolean>
  /** Returns the text of `/metrics` of websockets; absent for none. */
  readonly metrics?: (() => string) | undefined
  readonly writeLog: (line: string) => void
}

/** Opens all listeners. The process's own socket may fail; a requested address that fails is the problem returned. */
export async function openListeners(options: ListenersOptions): Promise<Listeners | { readonly problem: string }> {
  const { args, env, home, connections, writeLog } = options
  const own = await listenInRunFolder({
    env,
    home,
    onConnection: (transport) => connections.accept(transport, 'socket'),
    onProblem: writeLog,
  })
  const others: Listening[] = []
  const close = async () => {
    await Promise.all([own, ...others.map(({ listener }) => listener)].map((listener) => listener?.close()))
  }
  try {
    for (const address of args.listen) others.push(await listenOn(address, args, options))
  } catch (error) {
    await close()
    if (error instanceof ListenError || error instanceof UsageError) return { problem: error.message }
    throw error
  }
  const announced = args.advertise ?? others.map(({ address }) => address).find(isReachable) ?? null
  return { socket: own?.address ?? null, others, announced, close }
}

/** Returns true for a websocket at an address that clients can connect to: not one that stands for all of a machine. */
function isReachable(address: string): boolean {
  return /^wss?:/.test(address) && !/^wss?:\/\/(0\.0\.0\.0|\[::\]):/.test(address)
}
