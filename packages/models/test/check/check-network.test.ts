import type { RequestListener } from 'node:http'
import { describe, expect, it } from 'vitest'
import { checkNetwork } from '../../src/check/check-network.ts'
import type { NetworkSettings } from '../../src/port/provider.ts'
import type { ProviderConfig } from '../../src/providers.ts'
import { createModelClient } from '../../src/registry.ts'
import { fixture } from '../support/read-body.ts'
import { providerAt } from '../support/requests.ts'
import { startProxy, startTls, testAuthority } from '../support/tls-loopback.ts'

const answers: RequestListener = (request, response) => {
  const isList = request.method === 'GET'
  response.writeHead(200, { 'content-type': isList ? 'application/json' : 'text/event-stream' })
  response.end(isList ? JSON.stringify({ data: [{ id: 'm1' }] }) : fixture('chat-answer'))
}
const refuses: RequestListener = (_request, response) => {
  response.writeHead(401, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ error: { message: 'Wrong key.' } }))
}

function stepsOf(provider: ProviderConfig, model: string | null = 'm1') {
  const env = {}
  return checkNetwork({ provider, client: createModelClient(provider, { env }), model, env, stepMs: 5_000 })
}

function secureProvider(port: number, network: NetworkSettings = {}, host = 'localhost'): ProviderConfig {
  return { ...providerAt(`https://${host}:${port}/v1`), wireApi: 'chat', network }
}

const names = (steps: readonly { name: string; level: string }[]) => steps.map(({ name, level }) => `${name} ${level}`)

describe('the check of the way to a provider', () => {
  it('goes through all steps up to one token', async () => {
    await using server = await startTls(answers)
    const steps = await stepsOf(secureProvider(server.port, { caFile: testAuthority }))
    expect(names(steps)).toEqual(['address ok', 'name ok', 'connection ok', 'TLS ok', 'key ok', 'one token ok'])
    expect(steps[3]?.text).toContain('certificate by Test authority')
  })

  it('ends where nothing listens, and says what to do', async () => {
    const server = await startTls(answers)
    await server[Symbol.asyncDispose]()
    const steps = await stepsOf(secureProvider(server.port))
    expect(names(steps)).toEqual(['address ok', 'name ok', 'connection problem'])
    expect(steps.at(-1)).toMatchObject({
      text: 'nothing listens there (ECONNREFUSED)',
      remedy: expect.stringMatching(/proxy/),
    })
  })

  it('ends at a certificate that is not trusted', async () => {
    await using server = await startTls(answers)
    const steps = await stepsOf(secureProvider(server.port))
    expect(names(steps).at(-1)).toBe('TLS problem')
    expect(steps.at(-1)?.remedy).toContain('ca_file')
  })

  it('ends at a CA file that is missing, which it names', async () => {
    await using server = await startTls(answers)
    const steps = await stepsOf(secureProvider(server.port, { caFile: '/missing/ca.pem' }))
    expect(steps.at(-1)?.text).toContain('ca_file /missing/ca.pem cannot be read (ENOENT)')
  })

  it('ends at a key that is refused', async () => {
    await using server = await startTls(refuses)
    const steps = await stepsOf(secureProvider(server.port, { caFile: testAuthority }))
    expect(names(steps).at(-1)).toBe('key problem')
    expect(steps.at(-1)?.text).toContain('Wrong key.')
  })

  it('says that no model is known to ask', async () => {
    await using server = await startTls(answers)
    const steps = await stepsOf(secureProvider(server.port, { caFile: testAuthority }), null)
    expect(names(steps).at(-1)).toBe('one token warning')
  })

  it('says that an address is none', async () => {
    expect(names(await stepsOf({ ...providerAt('mailto:x'), wireApi: 'chat' }))).toEqual(['address problem'])
  })
})

describe('a proxy of the configuration', () => {
  it('is used with its login, for the check and for requests, and the certificate is that of the provider', async () => {
    await using server = await startTls(answers)
    await using proxy = await startProxy(server.port)
    const network = { proxy: `http://me:word@127.0.0.1:${proxy.port}`, caFile: testAuthority }
    const steps = await stepsOf(secureProvider(8443, network, 'models.test'))
    expect(names(steps)).toEqual(['address ok', 'name ok', 'connection ok', 'TLS ok', 'key ok', 'one token ok'])
    const login = `Basic ${Buffer.from('me:word').toString('base64')}`
    expect(proxy.asked.length).toBeGreaterThanOrEqual(2)
    expect(new Set(proxy.asked.map(({ host, login: given }) => `${host} ${given}`))).toEqual(
      new Set([`models.test:8443 ${login}`]),
    )
  })

  it('that refuses the host is named as the step that fails', async () => {
    await using proxy = await startProxy(1, 407)
    const steps = await stepsOf(secureProvider(8443, { proxy: `http://127.0.0.1:${proxy.port}` }, 'models.test'))
    expect(steps.at(-1)).toMatchObject({ name: 'TLS', level: 'problem', text: 'the proxy refused it: 407 No (PROXY)' })
  })
})
