import { expect, it } from 'vitest'
import { listOfServers, pageHeaders } from '../../../src/frontends/web/page-source.ts'
import { watchTeamOrigins } from '../../../src/frontends/web/team-page.ts'

it('a server that is gone is still known, since its pages come from there', async () => {
  let there: readonly string[] = ['https://a.example', 'https://b.example:7100']
  using origins = watchTeamOrigins(() => Promise.resolve(there), 1e6)
  await origins.look()
  there = ['https://b.example:7100', 'https://c.example']
  await origins.look()
  expect(origins.known()).toEqual(['https://a.example', 'https://b.example:7100', 'https://c.example'])
})

it('an origin that others on the way could read, and what is none, is not taken', async () => {
  const said = ['http://a.example', 'https://b.example/path', 'https://c.example; script-src *', 'null', '']
  using origins = watchTeamOrigins(() => Promise.resolve([...said, 'http://127.0.0.1:7100']), 1e6)
  await origins.look()
  expect(origins.known()).toEqual(['http://127.0.0.1:7100'])
})

it('a store that is away takes nothing from what is known, and endless servers do not make an endless list', async () => {
  let fails = false
  let number = 0
  const pages = () => (fails ? Promise.reject(new Error('away')) : Promise.resolve([`https://a${number}.example`]))
  using origins = watchTeamOrigins(pages, 1e6)
  for (; number < 40; number++) await origins.look()
  expect([origins.known().length, origins.known().at(-1)]).toEqual([32, 'https://a39.example'])
  fails = true
  await origins.look()
  expect(origins.known()).toHaveLength(32)
})

it('a page may connect to its own server, and load from there alone', () => {
  const policy = pageHeaders('https://a.example')['Content-Security-Policy']
  expect(policy).toContain("connect-src 'self' wss://a.example;")
  expect(policy).toContain("script-src 'self'")
  expect(policy).toContain("default-src 'none'")
})

it('the list of the other servers may connect to exactly those, and nothing else may show it', () => {
  const { headers, body } = listOfServers(['https://b.example', 'http://127.0.0.1:7'])
  expect(headers['Content-Security-Policy']).toContain('connect-src wss://b.example ws://127.0.0.1:7;')
  expect(headers['Content-Security-Policy']).toContain("frame-ancestors 'self';")
  expect(Buffer.from(body).toString()).toBe('https://b.example\nhttp://127.0.0.1:7')
  expect(listOfServers([]).headers['Content-Security-Policy']).toMatch(/^default-src 'none'; connect-src 'none';/)
})
