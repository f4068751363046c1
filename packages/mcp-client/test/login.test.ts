import { createServer } from 'node:http'
import { describe, expect, it } from 'vitest'
import { beginMcpLogin } from '../src/login.ts'

const client = { client_id: 'c', redirect_uris: ['http://127.0.0.1:1/callback'] }

/** A server that is its own issuer and registers everybody. */
async function serverWith(metadata: object, registration = JSON.stringify(client)) {
  const server = createServer(({ url = '' }, response) => {
    response.setHeader('content-type', 'application/json')
    if (url === '/register') return void response.writeHead(201).end(registration)
    if (!url.startsWith('/.well-known/oauth-authorization-server')) return void response.writeHead(404).end('{}')
    const common = { issuer: origin, token_endpoint: `${origin}/token`, registration_endpoint: `${origin}/register` }
    const kinds = { response_types_supported: ['code'], code_challenge_methods_supported: ['S256'] }
    response.end(JSON.stringify({ ...common, ...kinds, ...metadata }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
  const redirect = { uri: 'http://127.0.0.1:1/callback', arrived: () => new Promise<URLSearchParams>(() => undefined) }
  const { signal } = new AbortController()
  return {
    begin: () => beginMcpLogin({ url: `${origin}/mcp`, redirect, signal, now: () => 0, fetch }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

describe('a login to an MCP server', () => {
  it('begins at a login page that is https, or of this machine', async () => {
    await using server = await serverWith({ authorization_endpoint: 'https://login.invalid/authorize' })
    expect((await server.begin()).authorizeUrl).toMatch(/^https:\/\/login\.invalid\/authorize\?.*code_challenge=/)
  })

  it.each(['http://login.invalid/authorize', 'ssh://login.invalid/authorize', 'file:///etc/passwd'])(
    'is refused at the login page %s',
    async (page) => {
      await using server = await serverWith({ authorization_endpoint: page })
      await expect(server.begin()).rejects.toMatchObject({
        name: 'McpLoginError',
        message: expect.stringContaining('no https address'),
      })
    },
  )

  it('shows the beginning of a long answer only', async () => {
    await using server = await serverWith({ authorization_endpoint: 'https://login.invalid/' }, 'x'.repeat(100_000))
    const error = await server.begin().catch((cause: unknown) => cause)
    expect(error).toMatchObject({ name: 'McpLoginError' })
    expect(String(error).length).toBeLessThan(500)
  })

  it('reads no more of an answer than of a message', async () => {
    await using server = await serverWith({ authorization_endpoint: 'https://login.invalid/', x: 'x'.repeat(9 << 20) })
    await expect(server.begin()).rejects.toThrow(/more than 8 MiB/)
  })
})
