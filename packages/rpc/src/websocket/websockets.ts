import { type Server, STATUS_CODES } from 'node:http'
import { isLoopbackHost } from '@parley/text'
import { relayPath } from '../transport/server-address.ts'
import { answerLimits, ListenError, type Listener, listenerOf, type Transport } from '../transport/transport.ts'
import { listenAtPath } from '../transport/unix-socket.ts'
import {
  type Admitted,
  addressOf,
  createWebSocketServer,
  isSameSecret,
  listening,
  pathOf,
  queryOf,
  type RequestHead,
  type TlsFiles,
} from './http-listener.ts'
import { createPageGuard, type PageGuard, type PageSource } from './page-guard.ts'
import { createRelays, type Relays, type RelayTargetOf } from './relays.ts'

export { connectWebSocket } from './connect-websocket.ts'
export { isSameSecret, type TlsFiles } from './http-listener.ts'
export type { PageResponse, PageSource } from './page-guard.ts'
export { listenForPage, type PageListener } from './page-listener.ts'
export type { RelayTarget, RelayTargetOf } from './relays.ts'

/** Takes ownership of a connection. */
type TakeConnection = (transport: Transport) => void

/** Returns the new owner for connections with this token; null for an invalid token. */
export type AdmitToken = (token: string) => TakeConnection | null | Promise<TakeConnection | null>

/** Decides about a token and the query of an address. Null stands for an invalid token, a number for an HTTP status. */
export type AdmitQuery = (
  token: string,
  query: URLSearchParams,
) => TakeConnection | number | null | Promise<TakeConnection | number | null>

interface ListenWebSocketOptions {
  readonly host: string
  /** 0 for a port that the system chooses. */
  readonly port: number
  /** Bearer token that clients must send; null admits any client and is valid for loopback hosts only. */
  readonly token: string | null
  /** Serves `wss://`. Default: `ws://`. */
  readonly tls?: TlsFiles
  /** Takes ownership of the transport. */
  onConnection(transport: Transport): void
  /** Decides about every token, in place of `token` and `onConnection`. */
  readonly admit?: AdmitToken
  /** Further paths that admit websockets, each by its own rule. Default: no further paths. */
  readonly pathRules?: PathRules
  /** Passes websockets with a valid token, and websockets of the page, on to other servers. Default: to no server. */
  readonly relayTo?: RelayTargetOf
  /** Returns why clients cannot be served, for `/readyz`; null while they can. Default: always null. */
  unready?(): string | null
  /** Returns the text of `/metrics`, which needs the token, too. Default: there is no such page. */
  metrics?(): string
  /** Decides about tokens for `/metrics`. Default: `token` is valid. */
  readonly mayReadMetrics?: TokenTest
  /** Serves a page to browsers, too, at these origins and the listener's own. Default: browsers are rejected. */
  readonly page?: PageSource & { readonly origins: readonly string[] }
}

/** Rules of paths that admit websockets by a rule of their own. */
export type PathRules = ReadonlyMap<string, AdmitQuery>

const noPathRules: PathRules = new Map()

export interface WebSocketListener extends Listener {
  /** `ws://host:port` with the port in use, `wss://` with TLS. */
  readonly url: string
  /** `http://host:port`, `https://` with TLS. */
  readonly origin: string
}

/** Listens for websockets at path `/`. Rejects with `ListenError`. */
export async function listenWebSocket(options: ListenWebSocketOptions): Promise<WebSocketListener> {
  const { host, port, token, tls, onConnection, unready = alwaysReady, metrics } = options
  const {
    admit = admitToken(token, onConnection),
    mayReadMetrics = hasToken(token),
    pathRules = noPathRules,
    page,
  } = options
  if (token === null && options.admit === undefined && !isLoopbackHost(host)) {
    throw new ListenError(`${host} can be reached from other machines, so it needs a token; 127.0.0.1 does not`)
  }
  let guard: PageGuard | null = null
  const relays = options.relayTo === undefined ? null : createRelays(options.relayTo)
  const serving = { unready, metrics, mayReadMetrics, page: () => guard }
  const server = webSocketServer({ admit, path: '/', pathRules, relays }, serving, tls)
  await listening(server, host, port)
  const address = addressOf(server)
  const url = `${tls === undefined ? 'ws' : 'wss'}://${address}`
  const { origin } = new URL(url.replace(/^ws/, 'http'))
  if (page !== undefined) guard = createPageGuard([origin, ...page.origins], page, relays)
  const listener = listenerOf(server, address)
  const close = () => {
    relays?.close()
    return listener.close()
  }
  return { address, close, [Symbol.asyncDispose]: close, url, origin }
}

/** Listens on a unix socket that only this user can open, for clients without a token. Rejects with `ListenError`. */
export function listenWebSocketFile(options: ListenFileOptions): Promise<Listener> {
  const { file, path, onConnection } = options
  return listenAtPath(
    webSocketServer(
      { admit: admitToken(null, onConnection), path, pathRules: noPathRules, relays: null },
      { unready: alwaysReady, mayReadMetrics: () => false },
    ),
    file,
  )
}

interface ListenFileOptions {
  /** Path of the socket. */
  readonly file: string
  /** Path of the websocket in its request. */
  readonly path: string
  /** Takes ownership of the transport. */
  onConnection(transport: Transport): void
}

/** Token and path that a client must give to be admitted. */
interface Admission {
  readonly admit: AdmitToken
  readonly path: string
  readonly pathRules: PathRules
  readonly relays: Relays | null
}

interface Serving {
  /** Returns why clients cannot be served, for `/readyz`; null while they can. */
  unready(): string | null
  /** Returns the text of `/metrics`; absent where there is no such page. */
  readonly metrics?: (() => string) | undefined
  readonly mayReadMetrics: TokenTest
  /** Returns the guard for browsers; absent or null without a page. */
  readonly page?: () => PageGuard | null
}

/** Tells if a token is valid for something. */
export type TokenTest = (token: string) => boolean | Promise<boolean>

const alwaysReady = () => null

const noPage = () => null

/** Creates a server of websockets for clients other than browsers, and of the page where there is one. */
function webSocketServer(
  admission: Admission,
  { unready, metrics, mayReadMetrics, page = noPage }: Serving,
  tls?: TlsFiles,
): Server {
  const admit = (head: RequestHead) =>
    (head.headers.origin === undefined ? null : page()?.admit(head)) ?? admitUpgrade(head, admission)
  const server = createWebSocketServer(admit, tls === undefined ? {} : { tls })
  server.on('request', (request, response) => {
    const guard = probes.has(pathOf(request.url)) ? null : page()
    const answer = (status: ProbeStatus | 401, text = `${STATUS_CODES[status]}\n`) =>
      response.writeHead(status, { 'Content-Type': 'text/plain' }).end(text)
    if (metrics !== undefined && pathOf(request.url) === '/metrics') {
      const send = (status: 200 | 401 | 403 | 404) => answer(status, status === 200 ? metrics() : undefined)
      void metricsStatus(request, mayReadMetrics).then(send, () => answer(503))
      return
    }
    if (guard !== null) return guard.answer(request, response)
    const status = plainRequestStatus(request)
    const problem = status === 200 && pathOf(request.url) === '/readyz' ? unready() : null
    if (problem === null) answer(status)
    else answer(503, `${problem}\n`)
  })
  return server
}

const probes: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

type ProbeStatus = 200 | 403 | 404 | 503

/** Resolves to the HTTP status for a request for the metrics, which need the token and are closed to browsers. */
async function metricsStatus({ method, headers }: RequestHead, mayRead: TokenTest): Promise<200 | 401 | 403 | 404> {
  if (headers.origin !== undefined) return 403
  if (method !== 'GET') return 404
  return (await mayRead(tokenOf(headers.authorization))) ? 200 : 401
}

/** Returns the HTTP status for a request without a websocket upgrade, if the server is ready. */
function plainRequestStatus({ method, url, headers }: RequestHead): Exclude<ProbeStatus, 503> {
  if (headers.origin !== undefined) return 403
  return (method === 'GET' || method === 'HEAD') && probes.has(pathOf(url)) ? 200 : 404
}

/**
 * Returns the owner of a websocket upgrade, else the HTTP status that rejects it. An Origin header means a browser: web
 * pages must not reach a server that runs commands.
 */
function admitUpgrade(
  { url, headers }: RequestHead,
  { admit, path, pathRules, relays }: Admission,
): Admitted | Promise<Admitted> {
  if (headers.origin !== undefined) return 403
  const token = tokenOf(headers.authorization)
  const at = pathOf(url)
  const rule = pathRules.get(at)
  if (rule !== undefined) return admittedByRule(rule(token, queryOf(url)))
  if (at === relayPath && relays !== null) return admittedToRelay(admit(token), () => relays.ownerOf(queryOf(url)))
  if (at !== path) return 404
  const admitted = admit(token)
  return admitted instanceof Promise ? admitted.then((taker) => taker ?? 401) : (admitted ?? 401)
}

/**
 * Returns the owner of an upgrade that a path's own rule admitted. The remote end answers requests, so its messages may
 * be long.
 */
async function admittedByRule(decided: ReturnType<AdmitQuery>): Promise<Admitted> {
  const admitted = await decided
  if (admitted === null) return 401
  if (typeof admitted === 'number') return admitted
  return Object.assign((transport: Transport) => admitted(transport), { limits: answerLimits })
}

/** Returns the owner of an upgrade for another server, after this server has judged the token, too. */
async function admittedToRelay(judged: ReturnType<AdmitToken>, taker: () => Promise<Admitted>): Promise<Admitted> {
  return (await judged) === null ? 401 : taker()
}

/** Returns the rule that admits clients with this token; null admits any. */
function admitToken(token: string | null, onConnection: (transport: Transport) => void): AdmitToken {
  const isValid = hasToken(token)
  return (given) => (isValid(given) ? onConnection : null)
}

/** Returns the test for one token; null lets any pass. */
function hasToken(token: string | null): (given: string) => boolean {
  return (given) => token === null || isSameSecret(given, token)
}

/** Returns the token of a header; an empty text without a token. */
export function tokenOf(authorization: string | undefined): string {
  return /^Bearer +(.+)$/i.exec(authorization ?? '')?.[1] ?? ''
}

/** Returns whether the header carries the token. Compares digests, so that timing reveals no part of it. */
export function carriesToken(authorization: string | undefined, token: string): boolean {
  return isSameSecret(tokenOf(authorization), token)
}
