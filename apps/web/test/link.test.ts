import type { ConversationId } from '@parley/protocol'
import { createMemoryTransportPair, type Transport } from '@parley/rpc'
import { expect, test, vi } from 'vitest'
import { type FollowedSnapshot, followConversation } from '../src/link/followed-conversation.ts'
import { openLink } from '../src/link/link.ts'
import { createPageSecrets } from '../src/link/page-secret.ts'

const [a, b, c] = ['https://a.example', 'https://b.example', 'https://c.example'] as const

/** A server as far as a page greets it. It says which servers there are by now, and whom it rejects. */
interface FakeServer {
  isAway: boolean
  readonly rejects?: boolean
  /** Websocket of the server that has all conversations; absent while it is this one. */
  owner?: string
  /** Called once a page has asked for a conversation and was answered. */
  onAsked?: () => void
  /** True while the user of the page has no role in any conversation. */
  hasNoRole?: boolean
  servers: readonly string[]
  readonly open: Transport[]
  /** First messages of pages. */
  readonly heard: unknown[]
}

function serverOf(servers: readonly string[], more: Partial<FakeServer> = {}): FakeServer {
  return { isAway: false, servers, open: [], heard: [], ...more }
}

async function serve(transport: Transport, server: FakeServer): Promise<void> {
  const { rejects = false, heard } = server
  let isFirst = true
  for await (const message of transport.incoming) {
    if (message.kind !== 'message') continue
    const { value } = message
    if (isFirst) {
      isFirst = false
      heard.push(value)
      const { token = null } = typeof value === 'object' && value !== null && 'token' in value ? value : {}
      const isIn = !rejects && token === 'ada'
      transport.send(JSON.stringify(isIn ? { token, access: 'full' } : { error: 'notAdmitted', signIn: true }))
    } else answerTo(value, transport, server)
  }
}

function answerTo(value: unknown, transport: Transport, { owner, hasNoRole, onAsked }: FakeServer): void {
  if (typeof value !== 'object' || value === null || !('id' in value && 'method' in value)) return
  const isOpened = value.method === 'conversation/resume'
  const error = { code: -32000, message: 'Elsewhere.', data: { code: 'liveElsewhere', address: owner } }
  const notFound = { code: -32000, message: 'There is none.', data: { code: 'conversationNotFound' } }
  const result = { capabilities: [], person: { kind: 'user', name: 'ada' }, state: { core: { seq: 3 } }, cursor: {} }
  const answer =
    isOpened && owner !== undefined
      ? { error }
      : hasNoRole === true && String(value.method).startsWith('conversation/')
        ? { error: notFound }
        : { result }
  transport.send(JSON.stringify({ jsonrpc: '2.0', id: value.id, ...answer }))
  if (isOpened) onAsked?.()
}

/** A page from the first server, in a browser whose tab has the token of ada. */
function pageOf(servers: Readonly<Record<string, FakeServer>>, token: string | null = 'ada') {
  const kept = new Map(token === null ? [] : [['parley-token', token]])
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  }
  const tried: string[] = []
  const home = Object.keys(servers)[0] ?? ''
  const link = openLink({
    ...{ name: 'page', version: '1', home },
    secrets: createPageSecrets({ code: null, link: null, conversation: null, folder: null }, storage),
    open(origin) {
      tried.push(origin)
      const server = servers[origin]
      if (server === undefined || server.isAway) return Promise.reject(new Error('away'))
      const [ours, theirs] = createMemoryTransportPair()
      server.open.push(theirs)
      void serve(theirs, server)
      return Promise.resolve(ours)
    },
    async look() {
      const server = servers[home]
      if (server === undefined || server.isAway) throw new Error('away')
      return server.servers
    },
  })
  const becomes = (kind: string) =>
    new Promise<void>((resolve) => {
      const look = () => link.state.kind === kind && resolve()
      link.subscribe(look)
      look()
    })
  return { link, tried, kept, becomes }
}

async function die(server: FakeServer): Promise<void> {
  server.isAway = true
  await Promise.all(server.open.splice(0).map((transport) => transport.close()))
}

test('a page whose server dies goes on at the next of the team with the same token', async () => {
  const servers = { [a]: serverOf([a, b, c]), [b]: serverOf([a, b, c]), [c]: serverOf([a, b, c]) }
  const { link, tried, becomes } = pageOf(servers)
  await becomes('up')
  await link.lookAround()
  await die(servers[a] ?? serverOf([]))
  await becomes('lost')
  await becomes('up')
  await die(servers[b] ?? serverOf([]))
  await becomes('lost')
  await becomes('up')
  expect(tried).toEqual([a, a, b, b, c])
  expect(servers[c]?.heard).toEqual([{ token: 'ada' }])
  expect(link.goTo('wss://c.example')).toBe(false)
})

test('a page that was loaded before there was another server goes on at one that came, once its own is dead', async () => {
  const servers = { [a]: serverOf([a]), [b]: serverOf([a, b]) }
  const { link, tried, becomes } = pageOf(servers)
  await becomes('up')
  expect(link.goTo('wss://b.example')).toBe(false)
  servers[a] = Object.assign(servers[a] ?? serverOf([]), { servers: [a, b] })
  await link.lookAround()
  await die(servers[a])
  await becomes('lost')
  // Its own server names none any more, and those that it named are kept.
  await link.lookAround()
  await becomes('up')
  expect(tried).toEqual([a, a, b])
})

test('a token goes to no server that the team has not named, and to none that others on the way could read', async () => {
  const odd = ['http://b.example', 'https://c.example/path', 'javascript:alert(1)', 'http://127.0.0.1:1', '']
  const servers = { [a]: serverOf([a, ...odd]) }
  const { link, tried, becomes } = pageOf(servers)
  await becomes('up')
  await link.lookAround()
  for (const websocket of ['wss://b.example', 'ws://b.example', 'ws://127.0.0.1:1', 'no address', null])
    expect(link.goTo(websocket), String(websocket)).toBe(false)
  await die(servers[a] ?? serverOf([]))
  await becomes('lost')
  servers[a] = serverOf([a])
  link.check()
  await becomes('up')
  expect(new Set(tried)).toEqual(new Set([a]))
})

test('a page goes to the server of the team that is named, and keeps its token where another rejects it', async () => {
  const servers = { [a]: serverOf([a, b]), [b]: serverOf([a, b], { rejects: true }) }
  const { link, kept, becomes } = pageOf(servers)
  await becomes('up')
  await link.lookAround()
  expect(link.goTo('wss://b.example')).toBe(true)
  await becomes('lost')
  // The server that it is from is asked next, and lets it in.
  await becomes('up')
  await link.lookAround()
  await die(servers[a] ?? serverOf([]))
  await becomes('notAdmitted')
  expect(kept.get('parley-token')).toBe('ada')
})

test('the server of the page alone decides that a token is no good, and it is forgotten then', async () => {
  const servers = { [a]: serverOf([a, b], { rejects: true }), [b]: serverOf([a, b]) }
  const { tried, kept, becomes } = pageOf(servers)
  await becomes('notAdmitted')
  expect([tried, [...kept]]).toEqual([[a], []])
})

test('a page follows a conversation that its server passes on to another', async () => {
  const servers = { [a]: serverOf([a, b]), [b]: serverOf([a, b]) }
  const { link, tried, becomes } = pageOf(servers)
  await becomes('up')
  await link.lookAround()
  const id = 'c-1' as ConversationId
  const asked = new Promise<void>((resolve) => {
    servers[a].onAsked = resolve
  })
  followConversation(link, id)
  await asked
  servers[a].owner = 'wss://b.example'
  const params = { level: 'error', code: 'storageFailed', message: 'Taken.', errno: 'STORE_TAKEN', conversationId: id }
  servers[a].open[0]?.send(JSON.stringify({ jsonrpc: '2.0', method: 'server/notice', params }))
  await becomes('lost')
  await becomes('up')
  expect(tried).toEqual([a, b])
})

test('a conversation that was taken away stays so over another connection, and goes on once the role is back', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const server = serverOf([a])
  const { link, becomes } = pageOf({ [a]: server })
  await becomes('up')
  const id = 'c-1' as ConversationId
  const followed = followConversation(link, id)
  const shows = (is: (snapshot: FollowedSnapshot) => boolean) =>
    new Promise<void>((resolve) => {
      const look = () => is(followed.snapshot) && resolve()
      followed.subscribe(look)
      look()
    })
  await shows(({ state }) => state !== null)
  server.hasNoRole = true
  const params = { level: 'warning', code: 'accessEnded', message: 'Taken away.', conversationId: id }
  server.open[0]?.send(JSON.stringify({ jsonrpc: '2.0', method: 'server/notice', params }))
  await shows(({ isTakenAway }) => isTakenAway)

  const shown: boolean[] = []
  followed.subscribe(() => shown.push(followed.snapshot.isTakenAway))
  await die(server)
  await becomes('lost')
  server.isAway = false
  await vi.advanceTimersByTimeAsync(10_000)
  await becomes('up')
  await vi.advanceTimersByTimeAsync(10_000)
  expect(new Set(shown)).toEqual(new Set([true]))

  server.hasNoRole = false
  const isBack = shows(({ isTakenAway }) => !isTakenAway)
  await vi.advanceTimersByTimeAsync(10_000)
  await isBack
  followed.close()
  vi.useRealTimers()
})
