import { createPrivateKey, X509Certificate } from 'node:crypto'
import { join } from 'node:path'
import { readUnlocked } from '@parley/host'
import { allRights, type Rights, type RightsOfToken } from '@parley/protocol'
import { certificateFault, ListenError, type Listener, listenSocket, type Transport } from '@parley/rpc'
import type { AdmitToken, PageSource, RelayTargetOf, TlsFiles } from '@parley/rpc/websocket'
import { orNull } from '@parley/text'
import type { ConnectedMachines } from '@parley/workspace'
import { admitMachines } from './admit-machines.ts'
import { type Address, type TlsPaths, UsageError } from './flags.ts'
import { keepSocket } from './kept-socket.ts'
import { pageOrigins } from './page-origins.ts'
import { listenInRunFolder } from './run-folder.ts'
import { readOrMakeToken } from './token-file.ts'

/** Receiver of the connections that listeners accept. */
interface Acceptor {
  accept(transport: Transport, kind: 'socket' | 'websocket', given?: { readonly rights: Rights }): void
}

interface Listening {
  readonly listener: Pick<Listener, 'close'>
  /** Address as users write it: a path, or `ws://HOST:PORT` (`wss://` with TLS) with the port in use. */
  readonly address: string
  /** Token file of the address; null for an address without a token. */
  readonly tokenFile: string | null
  /** Origin at which browsers find the page; null or absent without a page. */
  readonly page?: string | null
}

type AddressListening = Pick<
  ListenersOptions,
  'connections' | 'home' | 'rightsOf' | 'machines' | 'relayTo' | 'unready' | 'metrics' | 'page' | 'writeLog'
>

/** Listens on one address. Rejects with `ListenError` or `UsageError`. */
export async function listenOn(
  address: Address,
  { tokenFile, tls = null, advertise = null }: Pick<ListenerFlags, 'tokenFile'> & Partial<ListenerFlags>,
  { connections, home, rightsOf = null, machines, relayTo, unready, metrics, page, writeLog }: AddressListening,
): Promise<Listening> {
  if (address.kind === 'socket') {
    const { path } = address
    const listen = () => listenSocket({ path, onConnection: (transport) => connections.accept(transport, 'socket') })
    const listener = keepSocket(await listen(), { listen, report: writeLog })
    return { listener, address: path, tokenFile: null }
  }
  // Loaded only when used, to keep the start short.
  const { isSameSecret, listenWebSocket } = await import('@parley/rpc/websocket')
  const file = rightsOf === null ? (tokenFile ?? join(home, 'server-token')) : null
  const origins = page === undefined ? [] : pageOrigins(address, advertise)
  const admit = rightsOf === null ? null : admitWith(rightsOf, (...taken) => connections.accept(...taken))
  const token = file === null ? null : readOrMakeToken(file)
  const judge = rightsOf ?? ((given: string) => (token !== null && isSameSecret(given, token) ? allRights : null))
  const listener = await listenWebSocket({
    host: address.host,
    port: address.port,
    token,
    ...(address.isSecure === true && tls !== null ? { tls: readTls(tls) } : {}),
    onConnection: (transport) => connections.accept(transport, 'websocket'),
    ...(admit === null ? {} : { admit }),
    ...(machines === undefined ? {} : { pathRules: admitMachines(machines, judge) }),
    ...(relayTo === undefined ? {} : { relayTo }),
    ...(unready === undefined ? {} : { unready }),
    ...(metrics === undefined ? {} : { metrics }),
    ...(page === undefined ? {} : { page: { ...page, origins } }),
    ...(rightsOf === null ? {} : { mayReadMetrics: async (token) => (await rightsOf(token))?.has('admin') === true }),
  })
  const known = page === undefined ? null : (origins[0] ?? listener.origin)
  return { listener, address: listener.url, tokenFile: file, page: known }
}

/** Returns the function that accepts connections of users and of links. */
function admitWith(rightsOf: RightsOfToken, accept: Acceptor['accept']): AdmitToken {
  const taker = (rights: Rights | null) =>
    rights === null ? null : (transport: Transport) => accept(transport, 'websocket', { rights })
  return (token) => {
    const rights = rightsOf(token)
    return rights instanceof Promise ? rights.then(taker) : taker(rights)
  }
}

export function readTls({ certFile, keyFile }: TlsPaths): TlsFiles {
  const tls = { cert: readPem(certFile), key: readPem(keyFile) }
  // Errors of OpenSSL name neither the file nor the missing part.
  const certificate = orNull(() => new X509Certificate(tls.cert))
  if (certificate === null) {
    const fault = certificateFault(tls.cert) ?? 'has a certificate that cannot be read: it is cut off or changed'
    throw new UsageError(`The file of --tls-cert, ${certFile}, ${fault}.`)
  }
  const key = orNull(() => createPrivateKey(tls.key))
  if (key === null)
    throw new UsageError(
      `The file of --tls-key, ${keyFile}, has no private key in PEM form without a passphrase (-----BEGIN PRIVATE KEY-----).`,
    )
  if (certificate.checkPrivateKey(key)) return tls
  throw new UsageError(
    `The key in ${keyFile} (--tls-key) is not that of the first certificate in ${certFile} (--tls-cert). Name the key that this certificate was made for; the certificates that lead to its authority follow it in the file.`,
  )
}

/** Reads the certificates of authorities of `--ca-file`, in PEM. Throws `UsageError`. */
export function readAuthorities(path: string): string {
  const pem = readPem(path)
  const fault = certificateFault(pem)
  if (fault === null) return pem
  throw new UsageError(`The file of --ca-file, ${path}, ${fault}.`)
}

/** Reads a file of certificates or a key. Throws `UsageError`. */
export function readPem(path: string): string {
  try {
    return readUnlocked(path)
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${error instanceof Error ? error.message : error}.`, { cause: error })
  }
}

/** Addresses at which a server process can be reached besides stdin. */
export interface Listeners {
  /** Returns the socket at which others find this process; null while its file is missing. */
  socket(): string | null
  /** Listeners that were requested. */
  readonly others: readonly Listening[]
  /** Websocket at which clients on other machines and other servers reach this one; null without one. */
  readonly announced: string | null
  /** Origin at which browsers find the page; null without a page. */
  readonly page: string | null
  close(): Promise<void>
}

interface ListenerFlags {
  readonly listen: readonly Address[]
  readonly tokenFile: string | null
  readonly tls: TlsPaths | null
  readonly advertise: string | null
}

interface ListenersOptions {
  readonly args: ListenerFlags
  /** The page that websockets serve to browsers; absent without a page. */
  readonly page?: PageSource | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  readonly connections: Acceptor
  /** Returns the rights that a token gives; null or absent where the server has no users. */
  readonly rightsOf?: RightsOfToken | null
  /** Machines that may connect by their exec-servers; absent where they may not. */
  readonly machines?: ConnectedMachines
  /** Other servers that websockets are passed on to; absent without a team. */
  readonly relayTo?: RelayTargetOf | undefined
  /** Returns why clients cannot be served, for `/readyz` of websockets; null while they can. Default: always null. */
  readonly unready?: () => string | null
  /** Returns the text of `/metrics` of websockets; absent where it is not served. */
  readonly metrics?: (() => string) | undefined
  /** Called with each later address of the process's own socket. */
  readonly onMoved: (socket: string) => void
  readonly writeLog: (line: string) => void
}

/** Opens all listeners. The process's own socket may fail; a requested address that fails is the problem returned. */
export async function openListeners(options: ListenersOptions): Promise<Listeners | { readonly problem: string }> {
  const { args, env, home, connections, onMoved, writeLog } = options
  const own = await listenInRunFolder({
    env,
    home,
    onConnection: (transport) => connections.accept(transport, 'socket'),
    onMoved,
    report: writeLog,
  })
  const others: Listening[] = []
  const close = async () => {
    await Promise.all([own, ...others.map(({ listener }) => listener)].map((listener) => listener.close()))
  }
  try {
    for (const address of args.listen) others.push(await listenOn(address, args, options))
  } catch (error) {
    await close()
    if (error instanceof ListenError || error instanceof UsageError) return { problem: error.message }
    throw error
  }
  const announced = args.advertise ?? others.map(({ address }) => address).find(isReachable) ?? null
  const page = others.find((other) => other.page != null)?.page ?? null
  return { socket: own.address, others, announced, page, close }
}

/** Returns true for a websocket at an address that clients can connect to: not one that stands for all of a machine. */
function isReachable(address: string): boolean {
  return /^wss?:/.test(address) && !/^wss?:\/\/(0\.0\.0\.0|\[::\]):/.test(address)
}
