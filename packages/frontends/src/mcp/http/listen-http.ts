import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { toNodeHandler } from '@modelcontextprotocol/node'
import {
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server'
import { UsageError } from '@parley/serving/flags'
import type { McpParts } from '../serve-mcp.ts'
import { HttpClients } from './http-clients.ts'

const headersTimeoutMs = 10_000
const maxSockets = 1024
const probes: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

/**
 * Listens for MCP over streamable HTTP. Resolves with the URL, which has the port in use, and the function that closes
 * every client and stops listening. Rejects with `UsageError` when the address cannot be used.
 */
export async function listenHttp(
  options: Admission & { readonly port: number; readonly parts: McpParts },
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const { host, port, parts } = options
  const clients = new HttpClients(parts)
  const server = createServer({ headersTimeout: headersTimeoutMs, requestTimeout: 0 }, (request, response) => {
    const rejected = rejectionOf(request, options)
    if (isProbe(request) && rejected?.status !== 403) answerPlain(response, 200, 'OK')
    else if (rejected !== null) sendRejection(response, rejected)
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
    const asked = request as Parameters<typeof handle>[0] // narrowed: the SDK's type lacks exact optional keys
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

/**
 * Sends the headers at once. Node would wait for the first byte of the body, which a GET stream may not have for
 * long.
 */
function sendHeaders(response: ServerResponse): void {
  if (response.headersSent && !response.writableEnded) response.flushHeaders()
}

function isProbe({ method, url }: IncomingMessage): boolean {
  return method === 'GET' && probes.has(url ?? '')
}

function sendRejection(response: ServerResponse, { status, message }: Rejection): void {
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

interface Rejection {
  readonly status: 401 | 403 | 404
  readonly message: string
}

interface Admission {
  /** Host of `--listen`, allowed besides the loopback names. */
  readonly host: string
  readonly carriesToken: (authorization: string | undefined) => boolean
}

const mcpPath = '/mcp'

/**
 * Returns why a request is rejected; null when it is not. Host and Origin are checked first, so that a page in the
 * user's browser learns nothing else.
 */
function rejectionOf({ url = '/', headers }: IncomingMessage, { host, carriesToken }: Admission): Rejection | null {
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
