import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { createNetworkFetch } from '../../src/http/network-fetch.ts'
import type { NetworkSettings } from '../../src/port/provider.ts'
import { startProxy, startTls, testAuthority } from '../support/tls-loopback.ts'

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void

/** A server on loopback; its address has no path. */
async function serverWith(answer: Answer) {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => answer(request, response, Buffer.concat(chunks).toString()))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const echo: Answer = ({ method, headers, url }, response, body) => {
  const { authorization, 'content-type': type, 'content-length': length } = headers
  response.setHeader('set-cookie', ['a=1', 'b=2'])
  response.end(JSON.stringify({ method, url, authorization, type, length, body }))
}

describe('a fetch by the settings of the network', () => {
  it('sends method, headers and body, and returns status, headers and text', async () => {
    await using server = await serverWith(echo)
    const send = createNetworkFetch({}, () => ({}))
    const body = new URLSearchParams({ grant: 'a b' })
    const response = await send(`${server.url}/token`, { method: 'POST', headers: { authorization: 'Bearer x' }, body })
    expect(response).toMatchObject({ status: 200, ok: true, statusText: 'OK' })
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    expect(await response.json()).toEqual({
      method: 'POST',
      url: '/token',
      authorization: 'Bearer x',
      type: 'application/x-www-form-urlencoded;charset=UTF-8',
      length: '9',
      body: 'grant=a+b',
    })
  })

  it('goes through the proxy of the settings, which are read anew for each request', async () => {
    await using proxy = await serverWith(({ url, headers }, response) => {
      response.end(`${url} ${headers['proxy-authorization']}`)
    })
    let settings: NetworkSettings = { proxy: proxy.url.replace('//', '//me:secret@') }
    const send = createNetworkFetch({ NO_PROXY: 'no.example' }, () => settings)
    const login = Buffer.from('me:secret').toString('base64')
    expect(await (await send('http://mcp.example/mcp')).text()).toBe(`http://mcp.example/mcp Basic ${login}`)
    settings = { noProxy: ['mcp.invalid'], proxy: proxy.url }
    await expect(send('http://mcp.invalid/mcp')).rejects.toThrow('fetch failed')
  })

  it('reaches a server behind a proxy whose authority is in ca_file', async () => {
    await using server = await startTls((_request, response) => response.end('safe'))
    await using proxy = await startProxy(server.port)
    const settings = { proxy: `http://127.0.0.1:${proxy.port}`, caFile: testAuthority }
    expect(await (await createNetworkFetch({}, () => settings)('https://models.test/')).text()).toBe('safe')
    expect(proxy.asked).toMatchObject([{ host: 'models.test:443' }])
    const { caFile: _, ...untrusting } = settings
    await expect(createNetworkFetch({}, () => untrusting)('https://models.test/')).rejects.toThrow('fetch failed')
  })

  it('follows redirects, and keeps credentials from another origin', async () => {
    await using other = await serverWith(echo)
    await using server = await serverWith(({ url = '' }, response) => {
      const [, status = '', to = ''] = url.split('/')
      response.writeHead(Number(status), { location: to === 'other' ? `${other.url}/there` : '/307/other' }).end()
    })
    const send = createNetworkFetch({}, () => ({}))
    const post = { method: 'POST', headers: { authorization: 'Bearer x' }, body: 'text' }
    const kept = await send(`${server.url}/308/own`, post)
    expect(await kept.json()).toMatchObject({ method: 'POST', body: 'text', url: '/there' })
    const read = await (await send(`${server.url}/303/other`, post)).json()
    expect(read).toEqual({ method: 'GET', url: '/there', body: '' })
    const manual = await send(`${server.url}/302/other`, { redirect: 'manual' })
    expect(manual.status).toBe(302)
    expect(manual.headers.get('location')).toBe(`${other.url}/there`)
    await expect(send(`${server.url}/302/other`, { redirect: 'error' })).rejects.toThrow('fetch failed')
    await expect(send(`${server.url}/307/own`, { redirect: 'follow' })).resolves.toMatchObject({ status: 200 })
  })

  it('ends a redirect that leads to itself', async () => {
    await using server = await serverWith((_, response) => response.writeHead(302, { location: '/' }).end())
    await expect(createNetworkFetch({}, () => ({}))(server.url)).rejects.toThrow('fetch failed')
  })

  it('rejects with the reason of its signal, before the answer and in the middle of it', async () => {
    await using server = await serverWith(({ url }, response) => {
      if (url === '/some') response.write('some')
    })
    const send = createNetworkFetch({}, () => ({}))
    const late = new AbortController()
    const waiting = send(server.url, { signal: late.signal })
    late.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
    const stop = new AbortController()
    const response = await send(`${server.url}/some`, { signal: stop.signal })
    const text = response.text()
    stop.abort(new Error('enough'))
    await expect(text).rejects.toThrow()
  })

  it('names the cause of a connection that fails, and takes answers without a body', async () => {
    await using server = await serverWith((_, response) => response.writeHead(204).end())
    const send = createNetworkFetch({}, () => ({}))
    expect(await (await send(server.url)).text()).toBe('')
    const unreachable = send('http://127.0.0.1:1/')
    await expect(unreachable).rejects.toMatchObject({ message: 'fetch failed', cause: { code: 'ECONNREFUSED' } })
    const noFile = createNetworkFetch({}, () => ({ caFile: '/missing.pem' }))('https://127.0.0.1:1/')
    await expect(noFile).rejects.toMatchObject({ cause: { code: 'ERR_CA_FILE' } })
  })
})
