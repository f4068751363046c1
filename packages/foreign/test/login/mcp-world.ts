import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type Provider from 'oidc-provider'

export interface GuardedServer extends AsyncDisposable {
  readonly url: string
  /** Tokens that came with requests, oldest first. */
  readonly tokens: readonly string[]
}

/** An MCP server with one tool that wants a token of the OAuth server, and says so. */
export async function guardedServer(provider: Provider): Promise<GuardedServer> {
  const tokens: string[] = []
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error as Error))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
  const about = '/.well-known/oauth-protected-resource/mcp'

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url, headers } = request
    if (url === about)
      return send(response, 200, {
        resource: `${origin}/mcp`,
        authorization_servers: [provider.issuer],
        scopes_supported: ['mcp:tools'],
      })
    if (url !== '/mcp') return send(response, 404, {})
    const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? ''
    const isKnown = (await provider.AccessToken.find(token))?.isValid === true
    if (!isKnown) {
      response.setHeader('www-authenticate', `Bearer resource_metadata="${origin}${about}"`)
      return send(response, 401, {})
    }
    tokens.push(token)
    if (method !== 'POST') return send(response, 405, {})
    const { id, method: asked, params } = JSON.parse(await text(request))
    if (id === undefined) return send(response, 202, null)
    send(response, 200, { jsonrpc: '2.0', id, result: resultOf(asked, params) })
  }

  return {
    url: `${origin}/mcp`,
    tokens,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function resultOf(method: string, params: { protocolVersion?: string }): object {
  if (method === 'initialize')
    return {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'guarded', version: '1' },
    }
  if (method === 'tools/list')
    return { tools: [{ name: 'greet', description: 'Greets.', inputSchema: { type: 'object', properties: {} } }] }
  return { content: [{ type: 'text', text: 'Hello from behind the gate.' }] }
}

function send(response: ServerResponse, status: number, body: object | null): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(body === null ? undefined : JSON.stringify(body))
}
