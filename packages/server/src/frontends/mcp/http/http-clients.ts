import { randomUUID } from 'node:crypto'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { type McpParts, type ServedClient, serveMcp } from '../serve-mcp.ts'
import { createEventBuffer, type EventBuffer } from './event-buffer.ts'
import { holdResponse } from './hold-response.ts'

const maxClients = 64
/** A client that neither asks nor listens for this long has gone without a word. */
const idleMs = 60 * 60_000
/** When a stream that we close may be opened again. */
const retryMs = 1000
/** What one stream may leave unread, which is what the event buffer holds to go on from. */
const unreadLimitBytes = 32 << 20

export const sessionHeader = 'mcp-session-id'

interface OpenRequest {
  /** What the client has yet to read of its answer. */
  unreadBytes: () => number
}

interface HttpClient {
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly served: ServedClient
  readonly events: EventBuffer
  /** Requests that are being answered, listening ones included. */
  readonly open: Set<OpenRequest>
  idle: NodeJS.Timeout
}

/** The MCP clients that come over HTTP, told apart by their session ids. */
export class HttpClients {
  readonly #parts: McpParts
  /** The one that asked last is the last. */
  readonly #clients = new Map<string, HttpClient>()

  constructor(parts: McpParts) {
    this.#parts = parts
  }

  /** `closed` settles when the connection of this request has ended. */
  async answer(request: Request, closed: Promise<void>): Promise<Response> {
    const id = request.headers.get(sessionHeader)
    if (id === null) return this.#welcome(request, closed)
    const client = this.#clients.get(id)
    if (client === undefined) return refusal(404, 'Session not found. It has ended; initialize a new one.')
    this.#clients.delete(id)
    this.#clients.set(id, client)
    return this.#answerFor(client, request, closed)
  }

  async close(): Promise<void> {
    await Promise.all([...this.#clients.values()].map(({ served }) => served.close().then(() => served.gone)))
  }

  /** A request without a session begins one; where it does not initialize it, the transport says what is wrong. */
  async #welcome(request: Request, closed: Promise<void>): Promise<Response> {
    if (!this.#makeRoom()) return refusal(503, `There are ${maxClients} clients already. Try again later.`)
    const events = createEventBuffer(unreadLimitBytes)
    const open = new Set<OpenRequest>()
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: events,
      retryInterval: retryMs,
      onsessioninitialized: (id) => void this.#clients.set(id, client),
    })
    const unreadBytes = () => [...open].reduce((sum, request) => sum + request.unreadBytes(), 0)
    const served = await serveMcp(transport, this.#parts, unreadBytes)
    const client: HttpClient = { transport, served, events, open, idle: this.#idleTimer(() => client) }
    const response = await this.#answerFor(client, request, closed)
    const { sessionId } = transport
    if (sessionId === undefined) await served.close()
    void served.gone.then(() => {
      clearTimeout(client.idle)
      if (sessionId !== undefined) this.#clients.delete(sessionId)
    })
    return response
  }

  async #answerFor(client: HttpClient, request: Request, closed: Promise<void>): Promise<Response> {
    const { transport, events, open } = client
    const asked: OpenRequest = { unreadBytes: () => 0 }
    open.add(asked)
    void closed.then(() => {
      open.delete(asked)
      client.idle.refresh()
    })
    const listens = request.method === 'GET'
    const response = await transport.handleRequest(listens ? withCursor(request, events.waitingFrom) : request)
    if (listens && response.ok) {
      events.taken()
      void closed.then(() => events.left())
    }
    const held = holdResponse(response, { closed, limitBytes: unreadLimitBytes })
    asked.unreadBytes = held.unreadBytes
    return held.response
  }

  /** Many a client goes without a word: of those that wait for nothing the one that was silent longest has to. */
  #makeRoom(): boolean {
    if (this.#clients.size < maxClients) return true
    const silent = [...this.#clients].find(([, { open }]) => open.size === 0)
    if (silent === undefined) return false
    const [id, { served }] = silent
    this.#clients.delete(id)
    void served.close()
    return true
  }

  #idleTimer(clientOf: () => HttpClient): NodeJS.Timeout {
    const timer = setTimeout(() => {
      const { open, served } = clientOf()
      if (open.size > 0) timer.refresh()
      else void served.close()
    }, idleMs)
    return timer.unref()
  }
}

/** A client that lost its stream says where it was; one that opens its first gets what has waited for it. */
function withCursor(request: Request, waitingFrom: string | null): Request {
  if (waitingFrom === null || request.headers.has('last-event-id')) return request
  const headers = new Headers(request.headers)
  headers.set('last-event-id', waitingFrom)
  return new Request(request, { headers })
}

function refusal(status: number, message: string): Response {
  return Response.json(
    { jsonrpc: '2.0', error: { code: status === 404 ? -32001 : -32000, message }, id: null },
    { status },
  )
}
