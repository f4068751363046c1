import { createServer } from 'node:http'
import { describe, expect, it } from 'vitest'
import { beginByDevice, beginInBrowser } from '../../../src/engine/login/oauth-flows.ts'
import { systemClock } from '../../../src/ports/clock-and-ids.ts'

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
    const ports = { clock: systemClock, fetch, signal: new AbortController().signal }
    for (const begin of [beginInBrowser, beginByDevice])
      await expect(begin(issuer.settings, ports)).rejects.toMatchObject({
        name: 'OAuthError',
        code: 'badAnswer',
        message: expect.stringContaining('no https address'),
      })
  })

  it('is refused when it names none that is text', async () => {
    await using issuer = await issuerWith(42)
    const ports = { clock: systemClock, fetch, signal: new AbortController().signal }
    await expect(beginInBrowser(issuer.settings, ports)).rejects.toMatchObject({ code: 'badAnswer' })
  })
})
