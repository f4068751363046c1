import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { type CliRun, startProgram, waitUntil } from '@parley/testkit'
import { describe, expect, it, vi } from 'vitest'
import { fieldsOf, referenceServer, startTalk } from './talk.ts'

// Real processes on a machine that does other things as well.
vi.setConfig({ testTimeout: 60_000 })

const allowed = '[[rule]]\ndecision = "allow"\nmcp = "*/*"\n'
const call = (tool: string, args: unknown = {}) => ({
  calls: [{ name: `mcp__remote__${tool}`, arguments: args }],
})

async function freePort(): Promise<number> {
  const server = createTcpServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function startEverything(port: number): Promise<CliRun> {
  const run = startProgram([process.execPath, referenceServer('everything'), 'streamableHttp'], {
    env: { PORT: String(port) },
    timeoutMs: 60_000,
  })
  await waitUntil(() => run.stderr().includes(String(port)), { what: 'the HTTP server', timeoutMs: 30_000 })
  return run
}

const section = (port: number, more = '') => `[mcp_servers.remote]\nurl = "http://127.0.0.1:${port}/mcp"\n${more}\n`

describe('server-everything over streamable HTTP', () => {
  it('has its tools called, its resources read, and asks the user', async () => {
    const port = await freePort()
    await using _server = await startEverything(port)
    await using talk = await startTalk({
      config: section(port),
      policy: allowed,
      steps: [
        call('get-sum', { a: 2, b: 3 }),
        { calls: [{ name: 'list_mcp_resources', arguments: { server: 'remote' } }] },
        call('trigger-elicitation-request'),
        { text: 'Done.' },
      ],
    })
    await talk.send('Go')
    await talk.decide(await talk.approval('elicitation'), 'approved', { answers: { name: 'Ada' } })
    await talk.turnEnded()
    const [sum, list, asked] = talk.told()
    expect(sum).toBe('The sum of 2 and 3 is 5.')
    expect(list).toContain('demo://resource/static/document/features.md')
    expect(asked).toContain('User provided the requested information')
  })

  it('that was started anew is connected to again', async () => {
    const port = await freePort()
    const first = await startEverything(port)
    await using talk = await startTalk({
      config: section(port),
      policy: allowed,
      steps: [
        call('echo', { message: 'one' }),
        { text: 'First.' },
        call('echo', { message: 'two' }),
        call('echo', { message: 'three' }),
        { text: 'Last.' },
      ],
    })
    await talk.send('One')
    await talk.turnEnded()
    await first[Symbol.asyncDispose]()
    await using _second = await startEverything(port)
    await talk.send('Two')
    await waitUntil(() => talk.events('turn.ended').length === 2, { what: 'the second turn', timeoutMs: 30_000 })
    expect(talk.told().at(-1)).toBe('Echo: three')
  })
})

describe('an endpoint', () => {
  it('gets the bearer token of the variable and the configured headers, and a refusal says what to do', async () => {
    const seen: unknown[] = []
    const server = createServer((request, response) => {
      seen.push({ authorization: request.headers.authorization, team: request.headers['x-team'] })
      response.writeHead(401).end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    await using talk = await startTalk({
      config: section(port, 'bearer_token_env_var = "REMOTE_KEY"\nhttp_headers = { x-team = "tools" }'),
      env: { REMOTE_KEY: 'k-1' },
      steps: [{ text: 'Hello.' }],
    })
    await talk.send('Hi')
    await talk.turnEnded()
    server.close()
    server.closeAllConnections()
    expect(seen[0]).toEqual({ authorization: 'Bearer k-1', team: 'tools' })
    const notice = talk
      .events('item.completed')
      .map(({ item }) => fieldsOf(item))
      .find(({ type }) => type === 'notice')
    expect(notice).toMatchObject({
      title: expect.stringContaining('HTTP 401): set bearer_token_env_var or http_headers'),
    })
  })

  it('is reached through the proxy of [network]', async () => {
    const seen: (string | undefined)[] = []
    const proxy = createServer(({ url }, response) => {
      seen.push(url)
      response.writeHead(404).end()
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    const { port } = proxy.address() as AddressInfo
    await using talk = await startTalk({
      config: `[mcp_servers.remote]\nurl = "http://mcp.invalid/mcp"\n[network]\nproxy = "http://127.0.0.1:${port}"\n`,
      steps: [{ text: 'Hello.' }],
    })
    await talk.send('Hi')
    await talk.turnEnded()
    proxy.close()
    proxy.closeAllConnections()
    expect(seen[0]).toBe('http://mcp.invalid/mcp')
  })
})
