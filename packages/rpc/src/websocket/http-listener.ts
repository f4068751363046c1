import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerOptions, STATUS_CODES } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { Duplex } from 'node:stream'
import { errorMessage } from '@parley/text'
import { WebSocketServer } from 'ws'
import { codeOrMessage, ListenError, type Transport, type TransportLimits } from '../transport/transport.ts'
import { createWebSocketTransport, frameOptions } from './websocket-transport.ts'

const headersTimeoutMs = 10_000
/** Limit for open TCP connections, including connections without a request. */
const maxSockets = 1024

export type RequestHead = Pick<IncomingMessage, 'method' | 'url' | 'headers'>

/** Takes ownership of the transport of an upgrade, when the handshake is over. */
export interface TakeUpgrade {
  (transport: Transport, request: IncomingMessage): void
  /** Limits of the transport, where they are not the usual ones. */
  readonly limits?: Partial<TransportLimits>
}

/** Request for a websocket that is not answered yet. */
export interface Upgrade {
  readonly request: IncomingMessage
  readonly stream: Duplex
  /** Bytes that came behind the request. */
  readonly head: Buffer
}

/** Takes ownership of the stream of an upgrade before the handshake, which it answers. */
export interface TakeStream {
  takeStream(upgrade: Upgrade): void
}

/** Owner of a websocket upgrade, or the HTTP status that rejects it. */
export type Admitted = TakeUpgrade | TakeStream | number

type Admit = (head: RequestHead) => Admitted | Promise<Admitted>

/** Certificate chain of a server, and its key, in PEM. */
export interface TlsFiles {
  readonly cert: string
  readonly key: string
}

interface HttpOptions extends ServerOptions {
  readonly tls?: TlsFiles
}

/** Creates an HTTP server that makes transports of admitted websockets. Throws `ListenError` for a bad certificate. */
export function createWebSocketServer(admit: Admit, { tls, ...more }: HttpOptions = {}): Server {
  const options = { headersTimeout: headersTimeoutMs, ...more }
  const server = tls === undefined ? createServer(options) : secureServer(options, tls)
  server.maxConnections = maxSockets
  const websockets = new WebSocketServer({ ...frameOptions, noServer: true })
  server.on('upgrade', (request, stream, head) => {
    // A client may disconnect during the handshake, and an unhandled `error` event would end the process.
    stream.on('error', () => {})
    const answer = (admitted: Admitted) => {
      if (typeof admitted === 'number') return rejectUpgrade(stream, admitted)
      if ('takeStream' in admitted) return admitted.takeStream({ request, stream, head })
      websockets.handleUpgrade(request, stream, head, (websocket) => {
        admitted(createWebSocketTransport({ ...admitted.limits, websocket, socket: request.socket }), request)
      })
    }
    const admitted = admit(request)
    if (admitted instanceof Promise) admitted.then(answer, () => answer(503))
    else answer(admitted)
  })
  return server
}

function secureServer(options: ServerOptions, tls: TlsFiles): Server {
  try {
    return createSecureServer({ ...options, ...tls })
  } catch (error) {
    const why = errorMessage(error)
    throw new ListenError(`the certificate or its key cannot be used: ${why}`, { cause: error })
  }
}

/** Resolves when the server listens. Rejects with `ListenError`. */
export function listening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      reject(new ListenError(`cannot listen on ${host}:${port}: ${explain(error)}`, { cause: error }))
    }
    server.once('error', fail)
    server.listen({ host, port }, () => {
      server.off('error', fail)
      resolve()
    })
  })
}

function explain(error: Error): string {
  const code = codeOrMessage(error)
  if (code === 'EADDRINUSE') return 'another program listens there'
  if (code === 'EACCES') return 'this user may not use that port; choose one from 1024 on'
  return code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' ? 'this machine has no such address' : error.message
}

/** Returns `host:port` with the port in use. Throws `ListenError`. */
export function addressOf(server: Server): string {
  const bound = server.address()
  if (bound === null || typeof bound === 'string')
    throw new ListenError('the system reports no address for this server')
  return `${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}`
}

/** Answers a request for an upgrade with an HTTP status, and ends its connection. */
export function rejectUpgrade(stream: Duplex, status: number): void {
  const challenge = status === 401 ? 'WWW-Authenticate: Bearer\r\n' : ''
  // The other end may never end its half, and its bytes are not read.
  stream.once('finish', () => stream.destroy())
  stream.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${challenge}Connection: close\r\nContent-Length: 0\r\n\r\n`)
}

export function pathOf(url = '/'): string {
  return url.split('?', 1)[0] ?? '/'
}

export function queryOf(url = ''): URLSearchParams {
  return new URLSearchParams(url.split('?', 2)[1] ?? '')
}

/** Returns true for equal secrets. Compares digests, so that timing reveals no part of them. */
export function isSameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
