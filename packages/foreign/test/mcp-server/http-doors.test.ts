import { chmod, stat } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { runCli, tempHome } from '@parley/testkit'
import { expect, test, vi } from 'vitest'
import { type Listening, makeWorld } from './world.ts'

// Each test starts processes, on a machine that may have other work.
vi.setConfig({ testTimeout: 60_000 })

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
}

interface Answer {
  readonly status: number | undefined
  readonly headers: NodeJS.Dict<string | string[]>
  readonly body: string
}

function ask(
  { url, token }: Listening,
  more: { headers?: object; method?: string; path?: string; body?: unknown },
): Promise<Answer> {
  const { headers = {}, method = 'POST', path, body } = more
  const asked = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...headers,
  }
  return new Promise((resolve, reject) => {
    const outgoing = request(new URL(path ?? url, url), { method, headers: asked }, (incoming) => {
      let text = ''
      incoming.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      incoming.on('end', () => resolve({ status: incoming.statusCode, headers: incoming.headers, body: text }))
    })
    outgoing.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body))
  })
}

test('only who has the token, comes by a loopback name and from no foreign page gets in', async () => {
  await using world = await makeWorld()
  const listening = await world.listen()
  const enter = (headers: object) => ask(listening, { headers, body: initialize }).then(({ status }) => status)
  expect(await enter({})).toBe(200)
  expect(await enter({ authorization: '' })).toBe(401)
  expect(await enter({ authorization: 'Bearer guess' })).toBe(401)
  expect(await enter({ authorization: `Basic ${listening.token}` })).toBe(401)
  expect(await enter({ host: 'evil.example' })).toBe(403)
  expect(await enter({ origin: 'https://evil.example' })).toBe(403)
  expect(await enter({ origin: 'null' })).toBe(403)
  expect(await enter({ origin: 'http://localhost:5173' })).toBe(200)
  const statusOf = (method: string, path: string, headers = {}) =>
    ask(listening, { method, path, headers }).then(({ status }) => status)
  expect(await statusOf('GET', '/healthz', { authorization: '' })).toBe(200)
  expect(await statusOf('GET', '/healthz', { host: 'evil.example' })).toBe(403)
  expect(await statusOf('GET', '/')).toBe(404)
  expect(await statusOf('PUT', '/mcp')).toBe(405)
  expect(await statusOf('DELETE', '/mcp', { 'mcp-session-id': 'nobody' })).toBe(404)
})

test('a request without a session, or with one that is not there, is told so', async () => {
  await using world = await makeWorld()
  const listening = await world.listen()
  const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' }
  expect(await ask(listening, { body: list })).toMatchObject({ status: 400 })
  expect(await ask(listening, { body: list, headers: { 'mcp-session-id': 'nobody' } })).toMatchObject({ status: 404 })
  expect(await ask(listening, { body: 'no message' })).toMatchObject({ status: 400 })
  const { headers } = await ask(listening, { body: initialize })
  const session = { 'mcp-session-id': String(headers['mcp-session-id']) }
  expect(await ask(listening, { body: list, headers: session })).toMatchObject({ status: 200 })
  expect(await ask(listening, { method: 'DELETE', headers: session })).toMatchObject({ status: 200 })
  expect(await ask(listening, { body: list, headers: session })).toMatchObject({ status: 404 })
})

test('a client that left without a word makes room, one that listens does not', async () => {
  await using world = await makeWorld()
  const listening = await world.listen()
  const enter = async () => {
    const { status, headers } = await ask(listening, { body: initialize })
    return { status, session: { 'mcp-session-id': String(headers['mcp-session-id']) } }
  }
  const first = await enter()
  const second = await enter()
  await using _stream = await openStream(listening, first.session)
  for (let count = 2; count < 64; count += 1) await enter()
  expect(await enter()).toMatchObject({ status: 200 })
  const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' }
  expect(await ask(listening, { body: list, headers: second.session })).toMatchObject({ status: 404 })
  expect(await ask(listening, { body: list, headers: first.session })).toMatchObject({ status: 200 })
  // Shorter than a stream without a word takes to show that it is alive.
}, 10_000)

test('the token file is made for its user alone, and one that others can read is refused', async () => {
  await using home = await tempHome()
  await using world = await makeWorld()
  const { run } = await world.listen()
  const file = /token in (.+)\)/.exec(run.stderr())?.[1] ?? ''
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  await chmod(file, 0o644)
  const args = ['mcp-server', '--listen', 'http://127.0.0.1:0', '--token-file', file]
  const refused = await runCli(args, { env: home.env })
  expect(refused).toMatchObject({ exitCode: 2, stdout: '' })
  expect(refused.stderr).toBe(
    `parley mcp-server: The token file ${file} must be a file of yours alone: chmod 600 ${file}\n`,
  )
})

test.each([
  [['--listen', 'ws://127.0.0.1:1'], '--listen takes http://HOST:PORT, not "ws://127.0.0.1:1".'],
  [['--listen', 'http://127.0.0.1:70000'], '--listen takes http://HOST:PORT, not "http://127.0.0.1:70000".'],
  [['--token-file', 'x'], '--token-file needs --listen http://HOST:PORT, or --server.'],
  [['--approval-timeout', 'soon'], '--approval-timeout takes a time such as 90s, 30m or 2h, or never, not "soon".'],
  [['--lissten'], "Unknown option '--lissten'. parley help mcp-server lists what there is."],
])('%j is one sentence on stderr', async (args, sentence) => {
  await using home = await tempHome()
  const { exitCode, stdout, stderr } = await runCli(['mcp-server', ...args], { env: home.env, cwd: join(home.path) })
  expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 2, stdout: '', stderr: `parley mcp-server: ${sentence}\n` })
})

test('a stream that is opened late begins with what has waited for it, and one that broke goes on', async () => {
  await using world = await makeWorld([{ text: 'Done' }])
  const listening = await world.listen()
  const { headers } = await ask(listening, { body: initialize })
  const session = { 'mcp-session-id': String(headers['mcp-session-id']) }
  const call = async (id: number, name: string, args: object) => {
    const { body } = await ask(listening, {
      headers: session,
      body: { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } },
    })
    return JSON.parse(/^data: (\{.*"id":.*)$/m.exec(body)?.[1] ?? '').result.structuredContent
  }
  const { conversation_id } = await call(2, 'conversationCreate', { cwd: world.cwd })
  await call(3, 'conversationStream', { conversation_id })
  await call(4, 'conversationSendMessage', { conversation_id, content: [{ type: 'text', text: 'Hello' }] })
  const whole = await listen(listening, session, 'task_complete')
  expect(whole.map(({ method }) => method).filter((method) => method !== 'agent_message_delta')).toEqual([
    'notifications/initial_state',
    'task_started',
    'agent_message',
    'task_complete',
  ])
  const again = await listen(listening, { ...session, 'last-event-id': whole[0]?.id ?? '' }, 'task_complete')
  expect(again).toEqual(whole.slice(1))
})

/** A GET that stays open. */
function openStream({ url, token }: Listening, headers: object): Promise<AsyncDisposable> {
  const asked = { authorization: `Bearer ${token}`, accept: 'text/event-stream', ...headers }
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { headers: asked }, (incoming) => {
      incoming.on('error', () => undefined).resume()
      resolve({ [Symbol.asyncDispose]: async () => void outgoing.destroy() })
    })
    outgoing.on('error', reject).end()
  })
}

/** The events of a GET up to one of the method; then it is broken off. */
async function listen({ url, token }: Listening, headers: object, last: string) {
  const asked = { authorization: `Bearer ${token}`, accept: 'text/event-stream', ...headers }
  const text = await new Promise<string>((resolve, reject) => {
    const outgoing = request(url, { headers: asked }, (incoming) => {
      let seen = ''
      incoming.setEncoding('utf8').on('data', (chunk: string) => {
        seen += chunk
        if (!seen.includes(`"method":"${last}"`) || !seen.endsWith('\n\n')) return
        outgoing.destroy()
        resolve(seen)
      })
      incoming.on('error', () => undefined)
      incoming.on('end', () => reject(new Error(`ended with ${incoming.statusCode}: ${seen}`)))
    })
    outgoing.on('error', () => undefined).end()
  })
  return [...text.matchAll(/^id: (\S+)\ndata: (.*)$/gm)].map(([, id = '', data = '{}']) => ({
    id,
    ...JSON.parse(data),
  }))
}
