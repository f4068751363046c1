import { createServer, type IncomingMessage } from 'node:http'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { calling, mcpPlace, serverIn } from './support/mcp-place.ts'

const free = { sandbox: 'danger-full-access' } as const

interface Refusal {
  readonly status: number
  readonly body: (id: unknown) => string
}

const error = (id: unknown, code: number, message: string) =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })
const shapes: Readonly<Record<string, Refusal>> = {
  '404': { status: 404, body: () => '<html>Not found</html>' },
  '410': { status: 410, body: () => '{}' },
  'Server not initialized': { status: 400, body: () => error(null, -32000, 'Bad Request: Server not initialized') },
  'no session id': { status: 400, body: () => error(null, -32000, 'Bad Request: Mcp-Session-Id header is required') },
  'invalid session id': { status: 400, body: () => '{"error":"Invalid session ID"}' },
  'session terminated': { status: 500, body: () => '{"error":"session terminated"}' },
  '-32001': { status: 200, body: (id) => error(id, -32001, 'Session not found') },
  '-32001 without an id': { status: 200, body: () => error(null, -32001, 'Session not found') },
  'before initialization': {
    status: 200,
    body: (id) => error(id, -32600, 'Received request before initialization was complete'),
  },
  'unknown session id': {
    status: 200,
    body: (id) => error(id, -32600, "Unknown session id 'a'; client should reinitialize"),
  },
}

/** An endpoint that forgets its session before the calls of these numbers, and counts what it runs. */
async function forgetful({ status, body }: Refusal, forgets: readonly number[]) {
  const seen = { initialized: 0, asked: 0, run: 0 }
  let session = 'none'
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const message = await bodyOf(request)
    const say = (to: number, text: string, more = {}) =>
      response.writeHead(to, { 'content-type': 'application/json', ...more }).end(text)
    const answer = (result: object, more = {}) =>
      say(200, JSON.stringify({ jsonrpc: '2.0', id: message['id'], result }), more)
    if (message['method'] === 'initialize') {
      seen.initialized += 1
      session = `s${seen.initialized}`
      const serverInfo = { name: 'remote', version: '1' }
      return answer(
        { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo },
        { 'mcp-session-id': session },
      )
    }
    const isCall = message['method'] === 'tools/call'
    if (isCall) seen.asked += 1
    if (isCall && forgets.includes(seen.asked)) session = 'none'
    if (request.headers['mcp-session-id'] !== session) return say(status, body(message['id']))
    if (message['id'] === undefined) return response.writeHead(202).end()
    if (!isCall) return answer({ tools: [{ name: 'go', inputSchema: { type: 'object' } }] })
    seen.run += 1
    return answer({ content: [{ type: 'text', text: `VALUE${seen.run}` }] })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    seen,
    section: `\n[mcp_servers.ugly]\nurl = "http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/mcp"\n`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString())
}

/** Calls the tool so many times, and returns what the model was told of each. */
async function told(refusal: Refusal, { forgets, calls }: { forgets: readonly number[]; calls: number }) {
  await using endpoint = await forgetful(refusal, forgets)
  await using place = mcpPlace()
  place.append(endpoint.section)
  const model = scriptedModel(...Array.from({ length: calls }, () => calling('go')), { text: 'ok' })
  const talk = await place.talkTo(model, free)
  await talk.watched.send('go')
  await talk.watched.turnEnded()
  const results = model.requests.slice(1).map(({ entries }) => entries.at(-1))
  const texts = results.map((entry) => (entry?.kind === 'result' ? entry.text : ''))
  return { texts, seen: endpoint.seen, server: await serverIn(talk, 'ready') }
}

const unknown = expect.stringMatching(
  /went away while this ran: it had ended the session.*What it had done by then is unknown\.$/,
)

describe('a session that an endpoint has forgotten', () => {
  it.each(Object.keys(shapes))('(%s) is made anew once: that call is unknown, and the next works', async (shape) => {
    const refusal = shapes[shape] ?? { status: 0, body: () => '' }
    const { texts, seen } = await told(refusal, { forgets: [2], calls: 3 })
    expect(texts).toEqual(['VALUE1', unknown, 'VALUE2'])
    expect(seen).toEqual({ initialized: 2, asked: 3, run: 2 })
  })

  it('before its first call is made anew as well', async () => {
    const refusal = shapes['404'] ?? { status: 0, body: () => '' }
    expect((await told(refusal, { forgets: [1], calls: 2 })).texts).toEqual([unknown, 'VALUE1'])
  })

  it('again and again does not end a server that works in between', async () => {
    const refusal = shapes['404'] ?? { status: 0, body: () => '' }
    const { texts, server } = await told(refusal, { forgets: [2, 4, 6, 8, 10], calls: 11 })
    expect(texts.filter((text) => text.startsWith('VALUE'))).toHaveLength(6)
    expect(server).toMatchObject({ state: 'ready', restarts: 5 })
  })
})

describe('an endpoint that refuses a call', () => {
  it.each([
    [
      'for its key',
      { status: 401, body: () => 'your session has expired, log in' },
      /rejected the request \(HTTP 401\)/,
    ],
    ['for its arguments', { status: 400, body: () => 'missing argument: q' }, /missing argument: q/],
    [
      'for the time it takes',
      { status: 200, body: (id: unknown) => error(id, -32001, 'Request timed out') },
      /Request timed out/,
    ],
  ] as const)('%s keeps its session', async (_why, refusal, words) => {
    const { texts, seen } = await told(refusal, { forgets: [1], calls: 2 })
    expect(texts).toEqual([expect.stringMatching(words), expect.stringMatching(words)])
    expect(seen).toMatchObject({ initialized: 1, run: 0 })
  })
})
