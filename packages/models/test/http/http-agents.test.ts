import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { hasAnswered, sharedRequestStarter } from '../../src/http/http-agents.ts'
import { HttpExchange } from '../../src/http/http-exchange.ts'

it('shares the connections of equal settings, and of no others', () => {
  const env = { HTTPS_PROXY: 'http://proxy:1' }
  const start = sharedRequestStarter(env, { noProxy: ['a'] })
  expect(sharedRequestStarter(env, { noProxy: ['a'] })).toBe(start)
  expect(sharedRequestStarter(env, { noProxy: ['b'] })).not.toBe(start)
  expect(sharedRequestStarter({ ...env }, { noProxy: ['a'] })).not.toBe(start)
})

it('reads a CA file anew for each client', () => {
  const env = {}
  const settings = { caFile: '/ca.pem' }
  expect(sharedRequestStarter(env, settings)).not.toBe(sharedRequestStarter(env, settings))
})

it('knows which hosts have answered', async () => {
  const env = {}
  const server = createServer((_, reply) => reply.end('ok')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/models`)
  expect(hasAnswered(url, env)).toBe(false)
  const request = { method: 'GET', url, headers: {}, connectTimeoutMs: 5_000 } as const
  const exchange = new HttpExchange(request, sharedRequestStarter(env))
  expect(await exchange.head()).toMatchObject({ status: 200 })
  exchange.destroy()
  expect(hasAnswered(new URL('/other', url), env)).toBe(true)
  expect(hasAnswered(url, { ...env })).toBe(false)
  server.close()
  server.closeAllConnections()
})
