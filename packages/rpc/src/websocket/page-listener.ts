import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import { type Listener, listenerOf, type Transport } from '../transport/transport.ts'
import {
  addressOf,
  createWebSocketServer,
  listening,
  pathOf,
  type RequestHead,
  type TakeUpgrade,
} from './http-listener.ts'

/** Answer to a request for a file of the page. */
export interface PageResponse {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

interface ListenForPageOptions {
  /** 0 for a port that the system chooses. */
  readonly port: number
  /** Headers of every answer, rejections included. */
  readonly headers: (origin: string) => Readonly<Record<string, string>>
  /** Returns the file at a path; null for none. */
  readonly respond: (path: string, head: RequestHead) => PageResponse | null
  /**
   * Takes ownership of the transport, whose client has yet to prove who it is. Until `admit` is called, the connection
   * ends when it has sent more than 64 KiB.
   */
  readonly onConnection: (transport: Transport, admit: () => void) => Promise<void>
}

export interface PageListener extends Listener {
  /** `http://127.0.0.1:PORT`, the only Origin and Host that it admits. */
  readonly origin: string
}

const loopback = '127.0.0.1'
/** Path of the websocket. */
const socketPath = '/socket'
const unprovenBytes = 64 * 1024
const maxRequestsOfSocket = 1000

/**
 * Listens on loopback for a page and its websockets. Admits exactly its own Host, so that no other name leads here, and
 * exactly its own Origin. Rejects with `ListenError`.
 */
export async function listenForPage(options: ListenForPageOptions): Promise<PageListener> {
  const take: TakeUpgrade = (transport, request) => {
    options.onConnection(transport, limitUnproven(request)).catch(() => transport.close())
  }
  const server = createWebSocketServer(
    (head) => {
      const status = upgradeStatus(head, host)
      return status === 101 ? take : status
    },
    { maxHeaderSize: 16 * 1024 },
  )
  server.maxRequestsPerSocket = maxRequestsOfSocket
  await listening(server, loopback, options.port)
  const host = addressOf(server)
  const headers = options.headers(`http://${host}`)
  server.on('request', (request, response) => {
    const status = fileStatus(request, host)
    const file = status === 200 ? options.respond(pathOf(request.url), request) : null
    if (file === null) rejectRequest(response, status === 200 ? 404 : status, headers)
    else sendFile(request, response, { ...file, headers: { ...headers, ...file.headers } })
  })
  return { ...listenerOf(server, host), origin: `http://${host}` }
}

function rejectRequest(response: ServerResponse, status: number, headers: Readonly<Record<string, string>>): void {
  response
    .writeHead(status, { ...headers, 'Content-Type': 'text/plain', Connection: 'close' })
    .end(`${STATUS_CODES[status]}\n`)
}

function sendFile({ method }: RequestHead, response: ServerResponse, { headers, body }: PageResponse): void {
  response.writeHead(200, { ...headers, 'Content-Length': String(body.length) }).end(method === 'HEAD' ? '' : body)
}

/** Returns 200 for a request that may have a file, else the HTTP status that rejects it. */
function fileStatus({ method, headers }: RequestHead, host: string): 200 | 403 | 405 | 421 {
  if (headers.host !== host) return 421
  if (headers.origin !== undefined && headers.origin !== `http://${host}`) return 403
  return method === 'GET' || method === 'HEAD' ? 200 : 405
}

/** Returns 101 to admit a websocket upgrade, else the HTTP status that rejects it. */
function upgradeStatus({ url, headers }: RequestHead, host: string): 101 | 403 | 404 | 421 {
  if (headers.host !== host) return 421
  if (headers.origin !== `http://${host}`) return 403
  return pathOf(url) === socketPath ? 101 : 404
}

/** Ends the connection when it sends too much before the returned function is called. */
function limitUnproven({ socket }: IncomingMessage): () => void {
  let bytes = 0
  const count = (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > unprovenBytes) socket.destroy()
  }
  socket.on('data', count)
  return () => socket.off('data', count)
}
