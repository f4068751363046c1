import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import { ListenError, type Listener } from '../transport/failures.ts'
import type { Transport } from '../transport/transport.ts'
import { createWebSocketTransport, frameOptions } from './websocket-transport.ts'

export interface ListenWebSocketOptions {
  readonly host: string
  /** 0 lets the system choose. */
  readonly port: number
  /** What clients must show as `Authorization: Bearer`; null lets in whoever reaches us, on loopback only. */
  readonly token: string | null
  /** Owns the transport. */
  onConnection(transport: Transport): void
}

export interface WebSocketListener extends Listener {
  /** `ws://host:port` with the real port. */
  readonly url: string
}

const headersTimeoutMs = 10_000
/** Sockets of any kind, those that never say what they want included. */
const maxSockets = 1024

/** Rejects with `ListenFailed`. */
export async function listenWebSocket(options: ListenWebSocketOptions): Promise<WebSocketListener> {
  const { host, port, token } = options
  if (token === null && !isLoopback(host)) {
    throw new ListenError(`${host} can be reached from other machines, so it needs a token; 127.0.0.1 does not`)
  }
  const server = createServer({ headersTimeout: headersTimeoutMs }, (request, response) => {
    const status = answerPlain(request)
    response.writeHead(status, { 'Content-Type': 'text/plain' }).end(`${STATUS_CODES[status]}\n`)
  })
  server.maxConnections = maxSockets
  const websockets = new WebSocketServer({ ...frameOptions, noServer: true })
  server.on('upgrade', (request, stream, head) => {
    // Until the transport listens: a far side that leaves during the handshake is nobody's failure.
    stream.on('error', () => {})
    const status = answerUpgrade(request, token)
    if (status !== 101) refuse(stream, status)
    else {
      websockets.handleUpgrade(request, stream, head, (websocket) => {
        options.onConnection(createWebSocketTransport({ websocket, socket: request.socket }))
      })
    }
  })
  await listening(server, host, port)
  return listenerOf(server)
}

function listening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      reject(new ListenError(`cannot listen on ${host}:${port}: ${reasonOf(error)}`, { cause: error }))
    }
    server.once('error', fail)
    server.listen({ host, port }, () => {
      server.off('error', fail)
      resolve()
    })
  })
}

function reasonOf(error: Error): string {
  const code = 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE') return 'another program listens there'
  if (code === 'EACCES') return 'this user may not; choose a port from 1024 on'
  return code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' ? 'this machine has no such address' : error.message
}

function listenerOf(server: Server): WebSocketListener {
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new ListenError('the system did not say where it listens')
  const address = `${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}`
  let closed: Promise<void> | undefined
  const close = () => {
    // Not awaited to its end, which comes only when the last connection has ended.
    closed ??= Promise.resolve(void server.close())
    return closed
  }
  return { address, url: `ws://${address}`, close, [Symbol.asyncDispose]: close }
}

function refuse(stream: Duplex, status: number): void {
  const challenge = status === 401 ? 'WWW-Authenticate: Bearer\r\n' : ''
  stream.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${challenge}Connection: close\r\nContent-Length: 0\r\n\r\n`)
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host)
}

type Asked = Pick<IncomingMessage, 'method' | 'url' | 'headers'>

const probes: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

/** The status for a request that asks for no websocket. */
function answerPlain({ method, url, headers }: Asked): 200 | 403 | 404 {
  if (headers.origin !== undefined) return 403
  return method === 'GET' && probes.has(pathOf(url)) ? 200 : 404
}

/** 101 or why not. An Origin means a browser: a page that the user has open must not reach what runs commands. */
function answerUpgrade({ url, headers }: Asked, token: string | null): 101 | 401 | 403 | 404 {
  if (headers.origin !== undefined) return 403
  if (pathOf(url) !== '/') return 404
  return token === null || carriesToken(headers.authorization, token) ? 101 : 401
}

function pathOf(url = '/'): string {
  return url.split('?', 1)[0] ?? '/'
}

/** Digests are compared, so neither the time nor the length tells how near a guess was. */
export function carriesToken(authorization: string | undefined, token: string): boolean {
  const given = /^Bearer +(.+)$/i.exec(authorization ?? '')?.[1] ?? ''
  return timingSafeEqual(digest(given), digest(token))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
