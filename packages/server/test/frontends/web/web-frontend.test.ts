import type { ClientId } from '@parley/protocol'
import { RpcError } from '@parley/rpc'
import { describe, expect, it } from 'vitest'
import { createLinks, linkLifeMs } from '../../../src/frontends/web/links.ts'
import { createWebFrontend } from '../../../src/frontends/web/web-frontend.ts'
import { codeOf, greeting, pageOf, pageScene as scene } from './support/page-scene.ts'

const full = { access: 'full', only: null } as const

describe('links', () => {
  it('are good once', () => {
    const links = createLinks(() => 0)
    const { code } = links.create(full)
    expect(links.exchange('another')).toBeNull()
    const token = links.exchange(code)
    expect(token).toMatchObject({ terms: full })
    expect(links.exchange(code)).toBeNull()
    expect(links.find(token?.token ?? '')).toEqual(token)
    expect(links.find(code)).toBeNull()
  })

  it('are good for 60 seconds', () => {
    let now = 1_000
    const links = createLinks(() => now)
    const [late, early] = [links.create(full), links.create({ access: 'readOnly', only: null })]
    now += linkLifeMs - 1
    expect(links.exchange(early.code)).toMatchObject({ terms: { access: 'readOnly' } })
    now += 1
    expect(links.exchange(late.code)).toBeNull()
  })
})

describe('the page of a server', () => {
  it('lets in whoever has the code, once, and then by the token', async () => {
    await using place = scene()
    const terminal = await place.terminal()
    const { url } = await terminal.request('web/open', {})
    const code = codeOf(url)
    const first = pageOf(url)
    const admitted = Object(await first.say({ code }))
    expect(admitted).toMatchObject({ access: 'full', token: expect.any(String) })
    expect(await first.say(greeting)).toMatchObject({ id: 1, result: { serverInfo: { name: 'parley' } } })
    const again = pageOf(url)
    expect(await again.say({ code })).toEqual({ error: 'notAdmitted' })
    expect(await again.closed).toBe(1000)
    const reloaded = pageOf(url)
    expect(await reloaded.say({ token: admitted.token })).toEqual(admitted)
    for (const message of [{ token: 'stale' }, {}, greeting, 'text', null])
      expect(await pageOf(url).say(message)).toEqual({ error: 'notAdmitted' })
  })

  it('holds a link to what it was made for, whatever the page asks', async () => {
    await using place = scene()
    const terminal = await place.terminal()
    const { url } = await terminal.request('web/open', { access: 'readOnly' })
    const page = pageOf(url)
    expect(await page.say({ code: codeOf(url) })).toMatchObject({ access: 'readOnly' })
    await page.say({ ...greeting, params: { ...greeting.params, access: 'full', capabilities: ['approvals'] } })
    const create = { jsonrpc: '2.0', id: 2, method: 'conversation/create', params: { cwd: '/' } }
    expect(await page.say(create)).toMatchObject({ error: { data: { code: 'notPermitted' } } })
  })

  it('makes no links for pages, which are websockets', async () => {
    await using place = scene()
    const terminal = await place.terminal()
    const { url } = await terminal.request('web/open', {})
    const page = pageOf(url)
    await page.say({ code: codeOf(url) })
    await page.say(greeting)
    const open = { jsonrpc: '2.0', id: 2, method: 'web/open', params: {} }
    expect(await page.say(open)).toMatchObject({ error: { data: { code: 'notPermitted' } } })
  })

  it('ends when all who asked for a link have left', async () => {
    await using place = scene()
    const [first, second] = [await place.terminal(), await place.terminal()]
    const { url } = await first.request('web/open', {})
    await second.request('web/open', {})
    const page = pageOf(url)
    await page.say({ code: codeOf(url) })
    await page.say(greeting)
    await first.peer.close()
    expect(await page.say({ ...greeting, id: 2 })).toMatchObject({ error: { data: { code: 'alreadyInitialized' } } })
    await second.peer.close()
    await page.closed
    await expect(fetch(new URL(url).origin)).rejects.toThrow()
  })

  it('says why a port cannot be listened on, and takes another then', async () => {
    await using place = scene()
    await using other = scene()
    const { url } = await (await other.terminal()).request('web/open', {})
    const terminal = await place.terminal()
    const port = Number(new URL(url).port)
    const rejected = terminal.request('web/open', { port })
    await expect(rejected).rejects.toBeInstanceOf(RpcError)
    await expect(rejected).rejects.toMatchObject({ data: { code: 'invalidParams', field: 'port' } })
    expect((await terminal.request('web/open', {})).url).toContain('http://127.0.0.1:')
  })

  it('comes with a strict policy, and compressed where that is taken', async () => {
    await using place = scene()
    const { url } = await (await place.terminal()).request('web/open', {})
    const { origin } = new URL(url)
    const response = await fetch(origin)
    expect(await response.text()).toBe('index.html')
    expect(response.headers.get('content-encoding')).toBe('gzip')
    const policy = response.headers.get('content-security-policy')
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
    expect(policy).toContain(`connect-src 'self' ${origin.replace('http:', 'ws:')};`)
    expect(policy).toContain("frame-src 'self'; frame-ancestors 'none';")
    expect(policy).toContain("require-trusted-types-for 'script'; trusted-types 'none'")
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cross-origin-opener-policy': 'same-origin',
      'cache-control': 'no-store',
    })
    expect(response.headers.get('set-cookie')).toBeNull()
  })
})

it('a client that never asked leaves the page alone', async () => {
  const web = createWebFrontend({ folder: '/', now: () => 0, accept: () => undefined })
  await expect(web.left('a' as ClientId)).resolves.toBeUndefined()
})
