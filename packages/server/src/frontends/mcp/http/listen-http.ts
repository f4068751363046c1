import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { toNodeHandler } from '@modelcontextprotocol/node'
import {
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server'
import { UsageError } from '../../../serving/flags.ts'
import type { McpParts } from '../serve-mcp.ts'
import { HttpClients } from './http-clients.ts'

const headersTimeoutMs = 10_000
const maxSockets = 1024
const probes: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

export interface HttpListening {
  /** With the real port. */
  readonly url: string
  /** Ends every client and stops listening. */
  close(): Promise<void>
}

interface ListenOptions extends Admission {
  readonly port: number
  readonly parts: McpParts
}

/** MCP over streamable HTTP. Rejects with `UsageError` when it cannot listen there. */
export async function listenHttp(options: ListenOptions): Promise<HttpListening> {
  const { host, port, parts } = options
  const clients = new HttpClients(parts)
  const server = createServer({ headersTimeout: headersTimeoutMs, requestTimeout: 0 }, (request, response) => {
    const refused = refusalOf(request, options)
    if (isProbe(request) && refused?.status !== 403) answerPlain(response, 200, 'OK')
    else if (refused !== null) turnAway(response, refused)
    else serve(request, response).catch(parts.report)
  })
  server.maxConnections = maxSockets

  function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const closed = new Promise<void>((resolve) => response.once('close', resolve))
    const answer = async (asked: Request) => {
      const answered = await clients.answer(asked, closed)
      setImmediate(() => sendHeaders(response))
      return answered
    }
    const handle = toNodeHandler({ fetch: answer }, { onerror: parts.report })
    const asked = request as Parameters<typeof handle>[0] // narrowed: the SDK's own type of it has no exact optional keys
    return handle(asked, response)
  }

  await listening(server, host, port)
  return {
    url: `http://${addressOf(server)}${mcpPath}`,
    async close() {
      server.close()
      await clients.close()
      server.closeAllConnections()
    },
  }
}

/** Node keeps them until the body has its first byte, for which a client that only listens would wait. */
function sendHeaders(response: ServerResponse): void {
  if (response.headersSent && !response.writableEnded) response.flushHeaders()
}

function isProbe({ method, url }: IncomingMessage): boolean {
  return method === 'GET' && probes.has(url ?? '')
}

function turnAway(response: ServerResponse, { status, message }: Refused): void {
  if (status === 401) response.setHeader('www-authenticate', 'Bearer')
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32000, message }, id: null }))
}

function answerPlain(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain' }).end(`${text}\n`)
}

function listening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(new UsageError(`cannot listen on ${host}:${port}: ${error.message}`))
    server.once('error', fail)
    server.listen({ host, port }, () => {
      server.off('error', fail)
      resolve()
    })
  })
}

function addressOf(server: Server): string {
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new UsageError('the system did not say where it listens')
  return `${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}`
}

export interface Refused {
  readonly status: 401 | 403 | 404
  readonly message: string
}

export interface Admission {
  /** The host that `--listen` names, besides the loopback ones. */
  readonly host: string
  readonly carriesToken: (authorization: string | undefined) => boolean
}

export const mcpPath = '/mcp'

/**
 * Why a request is turned away, or null. Host and Origin come first: a page in the user's browser, under whatever name it
 * got our address, learns nothing else.
 */
export function refusalOf({ url = '/', headers }: IncomingMessage, { host, carriesToken }: Admission): Refused | null {
  const names = host.includes(':') ? `[${host}]` : host
  const atHost = validateHostHeader(headers.host, [...localhostAllowedHostnames(), names])
  if (!atHost.ok) return { status: 403, message: atHost.message }
  const from = validateOriginHeader(headers.origin, [...localhostAllowedOrigins(), names])
  if (!from.ok) return { status: 403, message: from.message }
  if (url.split('?', 1)[0] !== mcpPath) return { status: 404, message: `MCP is served at ${mcpPath}.` }
  if (!carriesToken(headers.authorization)) {
    return {
      status: 401,
      message: 'Authorization: Bearer TOKEN is missing or wrong. The server said at its start where the token is.',
    }
  }
  return null
}
