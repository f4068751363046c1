import { createServer } from 'node:http'
import { describe, expect, it } from 'vitest'
import { revokeTokens } from '../src/oauth-client.ts'
import { beginByDevice, beginInBrowser } from '../src/oauth-flows.ts'

const clock = { now: () => Date.now(), sleep: () => Promise.resolve() }

/** An issuer that sends the user to `page`. */
async function issuerWith(page: unknown) {
  const server = createServer(({ url }, response) => {
    response.setHeader('content-type', 'application/json')
    const metadata = { issuer, authorization_endpoint: page, device_authorization_endpoint: `${issuer}/device` }
    const device = { device_code: 'd', user_code: 'u', verification_uri: page, expires_in: 60 }
    response.end(JSON.stringify(url === '/device' ? device : metadata))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const issuer = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
  return {
    settings: { issuer, clientId: 'parley', scopes: [] },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

describe('an issuer whose login page is no web address', () => {
  it.each([['file:///etc/passwd'], ['parley-evil:run'], ['no address']])('is refused: %s', async (page) => {
    await using issuer = await issuerWith(page)
    const ports = { clock, fetch, signal: new AbortController().signal }
    for (const begin of [beginInBrowser, beginByDevice])
      await expect(begin(issuer.settings, ports)).rejects.toMatchObject({
        name: 'OAuthError',
        code: 'badAnswer',
        message: expect.stringContaining('no https address'),
      })
  })

  it('is refused when it names none that is text', async () => {
    await using issuer = await issuerWith(42)
    const ports = { clock, fetch, signal: new AbortController().signal }
    await expect(beginInBrowser(issuer.settings, ports)).rejects.toMatchObject({ code: 'badAnswer' })
  })
})

describe('tokens', () => {
  const revocation = { signal: new AbortController().signal }
  const login = (issuer: string, refreshToken: string | null = 'refresh-1') =>
    ({ kind: 'oauth', accessToken: 'access-1', refreshToken, expiresAtMs: null, issuer, clientId: 'parley' }) as const

  /** An issuer that answers revocations with these statuses, one after the other. */
  function issuerAnswering(...answers: readonly { status: number; error?: string }[]) {
    const bodies: string[] = []
    const issuer = 'http://127.0.0.1:9'
    const send: typeof fetch = (url, request) => {
      const isMetadata = String(url).includes('.well-known')
      if (isMetadata)
        return Promise.resolve(
          Response.json({ issuer, ...(answers.length === 0 ? {} : { revocation_endpoint: `${issuer}/revoke` }) }),
        )
      bodies.push(String(request?.body))
      const { status, error } = answers[bodies.length - 1] ?? { status: 500 }
      return Promise.resolve(
        error === undefined ? new Response(null, { status }) : Response.json({ error }, { status }),
      )
    }
    return { issuer, send, bodies }
  }

  it('are revoked at the issuer, the one that renews the login first', async () => {
    const { issuer, send, bodies } = issuerAnswering({ status: 200 }, { status: 400, error: 'unsupported_token_type' })
    expect(await revokeTokens(login(issuer), { ...revocation, fetch: send })).toBe(true)
    expect(bodies).toEqual([
      expect.stringMatching(
        /token=refresh-1.*token_type_hint=refresh_token|token_type_hint=refresh_token.*token=refresh-1/,
      ),
      expect.stringContaining('access-1'),
    ])
  })

  it('stay where the issuer names no address for that, or refuses', async () => {
    const none = issuerAnswering()
    expect(await revokeTokens(login(none.issuer), { ...revocation, fetch: none.send })).toBe(false)
    for (const [given, refreshToken] of [
      [issuerAnswering({ status: 503 }), 'refresh-1'],
      [issuerAnswering({ status: 400, error: 'unsupported_token_type' }), null],
    ] as const)
      await expect(
        revokeTokens(login(given.issuer, refreshToken), { ...revocation, fetch: given.send }),
      ).rejects.toMatchObject({ name: 'OAuthError' })
  })
})
