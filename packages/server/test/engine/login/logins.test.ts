import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LoginCompleted } from '@parley/protocol'
import { createMemoryTransportPair, createPeer, type Peer, RpcError } from '@parley/rpc'
import { startModelServer, waitUntil } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { serveConnection } from '../../../src/frontends/conversation/connections.ts'
import { takeHand } from '../../frontends/mcp/support/hand.ts'
import { type TestPlace, type TestServer, testPlace } from '../support/test-server.ts'

const key = 'engine-key-5Xw2'

interface Caller {
  readonly peer: Peer
  readonly ends: readonly LoginCompleted[]
  end(): Promise<LoginCompleted>
}

async function caller(
  server: TestServer,
  kind: 'stdio' | 'socket' | 'websocket' = 'stdio',
  access: 'full' | 'readOnly' = 'full',
): Promise<Caller> {
  const [ours, theirs] = createMemoryTransportPair()
  const ends: LoginCompleted[] = []
  void serveConnection(theirs, server.engine, { kind })
  const notifications = { 'login/completed': (params: unknown) => void ends.push(params as LoginCompleted) }
  const peer = createPeer({ transport: ours, methods: {}, notifications })
  const clientInfo = { name: 'test', version: '1' }
  await peer.request('initialize', { protocolVersion: { min: 2, max: 2 }, clientInfo, access })
  return { peer, ends, end: () => waitUntil(() => ends[0], { what: 'the end of the login' }) }
}

function configure(place: TestPlace, url: string): void {
  const section = `[model_providers.gate]\nbase_url = "${url}"\nenv_key = "GATE_KEY"\n`
  place.write('../.parley/config.toml', `model_provider = "gate"\nmodel = "m"\n${section}`)
}

async function codeOf(answer: Promise<unknown>): Promise<unknown> {
  const error = await answer.then(
    () => null,
    (cause: unknown) => cause,
  )
  return error instanceof RpcError ? error.data?.['code'] : error
}

describe('a login', () => {
  it('answers at once, ends by a notification to each local client, and is listed without its key', async () => {
    await using place = testPlace()
    await using model = await startModelServer([], { accepts: (token) => token === key })
    configure(place, model.url)
    const server = place.start()
    const [first, other, afar, reader] = await Promise.all([
      caller(server),
      caller(server, 'socket'),
      caller(server, 'websocket'),
      caller(server, 'stdio', 'readOnly'),
    ])
    const answer = await first.peer.request('login/start', { provider: 'gate', key })
    const end = await first.end()
    expect(end).toEqual({
      ...(answer as object),
      provider: 'gate',
      mcpServer: null,
      success: true,
      code: null,
      error: null,
      keptIn: 'file',
      variable: null,
    })
    expect(await other.end()).toEqual(end)
    const login = { provider: 'gate', name: 'gate', kind: 'key', keptIn: 'file', variable: null }
    expect(await first.peer.request('login/status', {})).toEqual({ logins: [login] })
    expect([...afar.ends, ...reader.ends]).toEqual([])
    expect(await first.peer.request('logout', { provider: 'gate' })).toEqual({ removed: true, variable: null })
    expect(await first.peer.request('login/status', {})).toEqual({ logins: [] })
  })

  it('is told to MCP clients by the name that Codex gives it', async () => {
    await using place = testPlace()
    await using model = await startModelServer()
    configure(place, model.url)
    const server = place.start()
    await using hand = await takeHand(server)
    await hand.call('conversationsList', {}).answer
    const { peer } = await caller(server)
    const { loginId } = (await peer.request('login/start', { provider: 'gate', key })) as { loginId: string }
    const told = await hand.until('the end of the login', ({ method }) => method === 'loginChatGptComplete')
    expect(told.params).toEqual({ loginId, success: true, error: null })
    expect(JSON.stringify(hand.received)).not.toContain(key)
  })

  it.each(['login/start', 'login/cancel', 'login/status', 'logout', 'mcp/login', 'mcp/logout'])(
    'is not for a client afar: %s',
    async (method) => {
      await using place = testPlace()
      const { peer } = await caller(place.start(), 'websocket')
      expect(await codeOf(peer.request(method, { provider: 'openai', key, loginId: 'x', name: 'n' }))).toBe(
        'notPermitted',
      )
    },
  )

  it('is not for a read-only client', async () => {
    await using place = testPlace()
    const { peer } = await caller(place.start(), 'stdio', 'readOnly')
    expect(await codeOf(peer.request('login/start', { provider: 'openai', key }))).toBe('notPermitted')
  })

  it.each([
    ['an unknown provider', 'gaet', key],
    ['a provider that plays a recording', 'demo', key],
    ['a key with a line break', 'gate', `${key}\n`],
  ])('is refused for %s, in words without the key', async (_what, provider, text) => {
    await using place = testPlace()
    configure(place, 'http://127.0.0.1:9/v1')
    const { peer } = await caller(place.start())
    const error = await peer.request('login/start', { provider, key: text }).catch((cause: unknown) => cause)
    expect(error).toMatchObject({ data: { code: 'invalidParams' } })
    expect(String(error)).not.toContain(key)
  })

  it('that is cancelled keeps nothing', async () => {
    await using place = testPlace()
    const asked = Promise.withResolvers<void>()
    const never = Promise.withResolvers<boolean>()
    await using model = await startModelServer([], {
      accepts: () => {
        asked.resolve()
        return never.promise
      },
    })
    configure(place, model.url)
    const { peer, end } = await caller(place.start())
    const { loginId } = (await peer.request('login/start', { provider: 'gate', key })) as { loginId: string }
    await asked.promise
    expect(await peer.request('login/cancel', { loginId })).toEqual({ cancelled: true })
    expect(await end()).toMatchObject({ success: false, code: 'aborted' })
    expect(await peer.request('login/cancel', { loginId })).toEqual({ cancelled: false })
    expect(await peer.request('login/status', {})).toEqual({ logins: [] })
    never.resolve(false)
  })
})

describe('a kept key', () => {
  it('makes its provider the one of a new conversation, and stays out of its log', async () => {
    await using place = testPlace()
    await using model = await startModelServer()
    configure(place, model.url)
    const server = place.start()
    const { peer, end } = await caller(server)
    const before = await codeOf(peer.request('conversation/create', { cwd: place.cwd }))
    await peer.request('login/start', { provider: 'gate', key })
    await end()
    const client = await server.connect()
    const summary = await client.request('conversation/create', { cwd: place.cwd })
    const watched = await client.watch(summary.conversationId)
    await watched.send(`my key is ${key}`)
    await watched.turnEnded()
    expect(before).toBe('noCredentials')
    expect(place.logLines(summary.conversationId).join()).toContain('[secret:login:')
    expect(place.logLines(summary.conversationId).join()).not.toContain(key)
  })

  it('is not used from a file that others can read', async () => {
    await using place = testPlace()
    configure(place, 'http://127.0.0.1:9/v1')
    place.write('../.parley/credentials.json', '{"version":1,"entries":{}}')
    const { peer } = await caller(place.start())
    const error = await peer.request('conversation/create', { cwd: place.cwd }).catch((cause: unknown) => cause)
    expect(error).toMatchObject({ data: { code: 'configInvalid' }, message: expect.stringContaining('chmod 600') })
    expect(readFileSync(join(place.root, '.parley', 'credentials.json'), 'utf8')).toContain('entries')
  })
})
