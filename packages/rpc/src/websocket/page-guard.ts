import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import { pageSocketPath, relayPath } from '../transport/server-address.ts'
import type { Transport } from '../transport/transport.ts'
import { type Admitted, pathOf, queryOf, type RequestHead, type TakeUpgrade } from './http-listener.ts'
import type { Relays } from './relays.ts'

/** Answer to a request for a file of the page. */
export interface PageResponse {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** Page that a listener serves to browsers. */
export interface PageSource {
  /** Headers of every answer, rejections included. */
  readonly headers: (origin: string) => Readonly<Record<string, string>>
  /** Returns the present origins of pages at other servers that may open a websocket here. */
  readonly otherOrigins: () => readonly string[]
  /** Returns the file at a path; null for an unknown path. */
  readonly respond: (path: string, head: RequestHead) => PageResponse | null
  /**
   * Takes ownership of the transport of a client without proven identity. Until `admit` is called, the connection ends
   * when it has sent more than 64 KiB.
   */
  readonly onConnection: (transport: Transport, admit: () => void) => Promise<void>
}

/** Guard for browsers: admits its own Hosts, each with its own Origin, and for websockets Origins of other servers. */
export interface PageGuard {
  /** Returns the owner of a page's websocket, else the HTTP status that rejects it. */
  admit(head: RequestHead): Admitted | Promise<Admitted>
  answer(request: IncomingMessage, response: ServerResponse): void
}

const unprovenBytes = 64 * 1024

/** Creates the guard of a page with these origins, `http://HOST:PORT` or `https://…`. */
export function createPageGuard(
  origins: readonly [string, ...string[]],
  source: PageSource,
  relays: Relays | null = null,
): PageGuard {
  const originOf = new Map(origins.map((origin) => [new URL(origin).host, origin]))
  const take: TakeUpgrade = (transport, request) => {
    source.onConnection(transport, limitUnproven(request)).catch(() => transport.close())
  }
  return {
    admit({ url, headers }) {
      const origin = originOf.get(headers.host ?? '')
      if (origin === undefined) return 421
      const from = headers.origin ?? ''
      if (from !== origin && !source.otherOrigins().includes(from)) return 403
      if (pathOf(url) === relayPath && relays !== null && from === origin) return relays.ownerOf(queryOf(url))
      return pathOf(url) === pageSocketPath ? take : 404
    },
    answer(request, response) {
      const origin = originOf.get(request.headers.host ?? '')
      const headers = source.headers(origin ?? origins[0])
      const status = fileStatus(request, origin)
      const file = status === 200 ? source.respond(pathOf(request.url), request) : null
      if (file === null) rejectRequest(response, status === 200 ? 404 : status, headers)
      else sendFile(request, response, { ...file, headers: { ...headers, ...file.headers } })
    },
  }
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
function fileStatus({ method, headers }: RequestHead, origin: string | undefined): 200 | 403 | 405 | 421 {
  if (origin === undefined) return 421
  if (headers.origin !== undefined && headers.origin !== origin) return 403
  return method === 'GET' || method === 'HEAD' ? 200 : 405
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
