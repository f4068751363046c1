import { randomUUID } from 'node:crypto'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { type McpParts, type ServedClient, serveMcp } from '../serve-mcp.ts'
import { unreadLimitBytes } from '../unread-limit.ts'
import { createEventBuffer, type EventBuffer, holdResponse } from './event-buffer.ts'

const maxClients = 64
/** Time without requests and streams after which a client counts as gone. */
const idleMs = 60 * 60_000
/** Delay after which clients open a closed stream again. */
const retryMs = 1000

const sessionHeader = 'mcp-session-id'

/** Request that is being answered, with the count of the unread bytes of its response. */
type OpenRequest = { unreadBytes: () => number }

interface HttpClient {
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly served: ServedClient
  readonly events: EventBuffer
  /** Requests that are being answered, GET streams included. */
  readonly open: Set<OpenRequest>
  idle: NodeJS.Timeout
}

/** MCP clients over HTTP, by session id. */
export class HttpClients {
  readonly #parts: McpParts
  /** In the order of their latest requests. */
  readonly #clients = new Map<string, HttpClient>()

  constructor(parts: McpParts) {
    this.#parts = parts
  }

  /** Answers a request. `closed` resolves when its connection has ended. */
  async answer(request: Request, closed: Promise<void>): Promise<Response> {
    const id = request.headers.get(sessionHeader)
    if (id === null) return this.#createSession(request, closed)
    const client = this.#clients.get(id)
    if (client === undefined) return rejected(404, 'Session not found. It has ended; initialize a new one.')
    this.#clients.delete(id)
    this.#clients.set(id, client)
    return this.#answerFor(client, request, closed)
  }

  async close(): Promise<void> {
    await Promise.all([...this.#clients.values()].map(({ served }) => served.close().then(() => served.gone)))
  }

  /** Creates a session for a request without one. The SDK's transport rejects everything but `initialize`. */
  async #createSession(request: Request, closed: Promise<void>): Promise<Response> {
    if (!this.#makeRoom()) return rejected(503, `There are ${maxClients} clients already. Try again later.`)
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
      events.opened()
      void closed.then(() => events.closed())
    }
    const held = holdResponse(response, { closed, limitBytes: unreadLimitBytes })
    asked.unreadBytes = held.unreadBytes
    return held.response
  }

  /** Returns true when there is room, closing the longest silent client without open requests if need be. */
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

/** Adds the cursor of waiting messages to a GET without a cursor. */
function withCursor(request: Request, waitingFrom: string | null): Request {
  if (waitingFrom === null || request.headers.has('last-event-id')) return request
  const headers = new Headers(request.headers)
  headers.set('last-event-id', waitingFrom)
  return new Request(request, { headers })
}

function rejected(status: number, message: string): Response {
  return Response.json(
    { jsonrpc: '2.0', error: { code: status === 404 ? -32001 : -32000, message }, id: null },
    { status },
  )
}
