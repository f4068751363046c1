import { request } from 'node:http'
import { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { HttpExchange } from '../../src/http/http-exchange.ts'

const coded = (code: string) => Object.assign(new Error(code), { code })

/** Returns the code of a request whose connection fails at several addresses with these codes. */
async function codeOf(...codes: readonly string[]): Promise<string | undefined> {
  const sent = request('http://127.0.0.1:9/', { createConnection: () => new Socket() })
  const exchange = new HttpExchange(
    { method: 'GET', url: new URL('http://a'), headers: {}, connectTimeoutMs: 1 },
    () => sent,
  )
  sent.emit('error', Object.assign(new AggregateError(codes.map(coded)), { code: codes[0] }))
  const head = await exchange.head()
  return head.type === 'fault' ? head.code : undefined
}

it.each([
  [['ECONNREFUSED', 'ECONNREFUSED'], 'ECONNREFUSED'],
  [['ECONNREFUSED', 'ENETUNREACH'], 'ECONNREFUSED'],
  [['ECONNREFUSED', 'EACCES'], 'EACCES'],
  [['EACCES', 'ECONNREFUSED'], 'EACCES'],
])('a host that fails at several addresses with %j fails with %s', async (codes, code) => {
  expect(await codeOf(...codes)).toBe(code)
})
