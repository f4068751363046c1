import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { RequestBody } from '../port/wire.ts'
import type { StartRequest } from './http-agents.ts'

interface HttpRequest {
  readonly method: 'GET' | 'POST'
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: RequestBody
  readonly connectTimeoutMs: number
}

/** Fault of the network with the code of the operating system or Node; `failures/explain.ts` explains it. */
export interface HttpFault {
  readonly type: 'fault'
  readonly code: string
  readonly detail: string
  /** True for a pooled connection, which the server may have closed while the request was on its way. */
  readonly reusedSocket: boolean
}

export interface HttpHead {
  readonly type: 'head'
  readonly status: number
  readonly headers: IncomingHttpHeaders
}

export type HttpChunk = { readonly type: 'chunk'; readonly bytes: Uint8Array } | { readonly type: 'end' } | HttpFault

/** Time limit for reading the rest of a finished response, so that its connection can serve the next request. */
const drainMs = 1_000

const end: HttpChunk = { type: 'end' }

/** Request and its streamed response. Redirects are not followed: they would carry the key to another server. */
export class HttpExchange {
  readonly #head: Promise<HttpHead | HttpFault>
  #request: ClientRequest | undefined
  #response: IncomingMessage | undefined
  #chunks: AsyncIterator<unknown> | undefined
  #connectTimedOut = false

  constructor(request: HttpRequest, start: StartRequest) {
    this.#head = new Promise((resolve) => {
      this.#send(request, start, resolve)
    })
  }

  /** Resolves with the head of the response, or with the fault that came first. Never rejects. */
  head(): Promise<HttpHead | HttpFault> {
    return this.#head
  }

  /** Resolves with the next piece of the body. Never rejects. */
  async next(): Promise<HttpChunk> {
    if (this.#response === undefined) return end
    this.#chunks ??= this.#response[Symbol.asyncIterator]()
    try {
      const { done, value } = await this.#chunks.next()
      return done === true || !(value instanceof Uint8Array) ? end : { type: 'chunk', bytes: value }
    } catch (error) {
      return this.#faultOf(error)
    }
  }

  /** Closes the connection at once. Idempotent. */
  destroy(): void {
    this.#response?.destroy()
    this.#request?.destroy()
  }

  /** Reads the rest of a complete response, within a time limit, so that its connection is kept. */
  async drain(): Promise<void> {
    const deadline = setTimeout(() => this.destroy(), drainMs)
    deadline.unref()
    let left = await this.next()
    while (left.type === 'chunk') left = await this.next()
    clearTimeout(deadline)
  }

  #send(request: HttpRequest, start: StartRequest, resolve: (head: HttpHead | HttpFault) => void): void {
    try {
      const sent = start(request.url, { method: request.method, headers: headersOf(request) })
      this.#request = sent
      sent.on('error', (error) => resolve(this.#faultOf(error)))
      sent.on('close', () => resolve(this.#faultOf(undefined)))
      sent.on('socket', (socket) => this.#limitConnect(socket, request))
      sent.on('response', (response) => {
        this.#response = response
        // Without a listener, an error between two reads would end the process; the next read reports it.
        response.on('error', () => {})
        resolve({ type: 'head', status: response.statusCode ?? 0, headers: response.headers })
      })
      // Sent in one write: no connection is there before this function returns.
      for (const piece of request.body ?? []) sent.write(piece)
      sent.end()
    } catch (error) {
      // Node throws here for an invalid header or URL, and names it without its value.
      resolve(this.#faultOf(error))
    }
  }

  #limitConnect(socket: Socket, request: HttpRequest): void {
    if (!socket.connecting) return
    const timer = setTimeout(() => {
      this.#connectTimedOut = true
      this.destroy()
    }, request.connectTimeoutMs)
    const connected = request.url.protocol === 'https:' ? 'secureConnect' : 'connect'
    // Both listeners go: the connection is kept for later requests, and would keep this one with its body.
    const stop = () => {
      clearTimeout(timer)
      socket.off(connected, stop).off('close', stop)
    }
    socket.once(connected, stop).once('close', stop)
  }

  #faultOf(error: unknown): HttpFault {
    const known = mostSpecificError(error)
    const code = known !== undefined && 'code' in known ? String(known.code) : 'ECONNRESET'
    return {
      type: 'fault',
      code: this.#connectTimedOut ? 'CONNECT_TIMEOUT' : code,
      detail: known?.message ?? 'the connection was closed',
      reusedSocket: this.#request?.reusedSocket === true,
    }
  }
}

/** Codes of an address that is out of reach for now. */
const outOfReach = /^(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EADDRNOTAVAIL)$/

/** Returns the most specific error of a connection that tried several addresses: an address out of reach says least. */
function mostSpecificError(error: unknown): Error | undefined {
  if (!(error instanceof AggregateError)) return error instanceof Error ? error : undefined
  const errors = error.errors.filter((one) => one instanceof Error)
  return errors.find((one) => 'code' in one && !outOfReach.test(String(one.code))) ?? error
}

function headersOf({ headers, body }: HttpRequest): Record<string, string | number> {
  if (body === undefined) return { ...headers }
  return { ...headers, 'content-length': body.reduce((sum, piece) => sum + piece.length, 0) }
}

/** Reads at most `maxBytes` of the body as text, up to the end or a fault. */
export async function readText(http: HttpExchange, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  let chunk = await http.next()
  while (chunk.type === 'chunk' && sizeBytes < maxBytes) {
    chunks.push(chunk.bytes)
    sizeBytes += chunk.bytes.length
    chunk = await http.next()
  }
  return Buffer.concat(chunks).subarray(0, maxBytes).toString('utf8')
}
