import { once } from 'node:events'
import { createServer } from 'node:net'
import { type MethodHandler, RpcError, type Transport } from '@parley/rpc'
import { listenWebSocket, type RelayTargetOf } from '@parley/rpc/websocket'
import { freePorts } from '@parley/testkit'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { connect, type LinkState } from '../../src/index.ts'
import {
  conversationId,
  cursorAt,
  type FakeMethods,
  type FakeServer,
  fakeFarSide,
  named,
  stateAt,
} from '../fake-server.ts'

type FarSide = Omit<FakeServer, 'transport'>

interface TeamServer extends AsyncDisposable {
  readonly url: string
  /** Resolves to its newest connection, or to the first where there is none yet. */
  readonly far: () => Promise<FarSide>
  /** Ends its connections and listens no more, as a process that was killed. */
  end(): Promise<void>
  /** Ends its connections and accepts the token no more, as a server whose users file has another. */
  reject(): Promise<void>
}

async function serve(methods: FakeMethods, more: { readonly relayTo?: RelayTargetOf } = {}): Promise<TeamServer> {
  const all: FarSide[] = []
  let isRejecting = false
  const first = Promise.withResolvers<void>()
  const take = (transport: Transport) => {
    all.push(fakeFarSide(transport, methods))
    first.resolve()
  }
  const listener = await listenWebSocket({
    host: '127.0.0.1',
    port: 0,
    token: null,
    onConnection: () => undefined,
    admit: (token) => (isRejecting || token !== 'secret' ? null : take),
    ...more,
  })
  const end = async () => {
    await listener.close()
    await Promise.all(all.map((far) => far.close()))
  }
  const far = async () => {
    await first.promise
    const newest = all.at(-1)
    if (newest === undefined) throw new Error('nobody has connected')
    return newest
  }
  const reject = async () => {
    isRejecting = true
    await Promise.all(all.map((far) => far.close()))
  }
  return { url: listener.url, far, end, reject, [Symbol.asyncDispose]: end }
}

const summary = { conversationId, readOnly: false }

/** Methods of a server that has the conversation open, with `seq` events. */
function open(seq: number, more: FakeMethods = {}): FakeMethods {
  return {
    'conversation/resume': () => summary,
    'conversation/stream': (params) =>
      isAfter(params) ? { cursor: params.after, events: [] } : { cursor: cursorAt(seq), state: stateAt(seq) },
    'conversation/unstream': () => ({}),
    ...more,
  }
}

function isAfter(params: unknown): params is { readonly after: object } {
  return typeof params === 'object' && params !== null && 'after' in params
}

/** Handler whose answers never come. */
const silent: MethodHandler = () => new Promise(() => undefined)

/** Address at which a connection is accepted and never answered. */
async function openHole() {
  const server = createServer((socket) => void socket.on('error', () => undefined).resume())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const bound = server.address()
  const port = bound !== null && typeof bound === 'object' ? bound.port : 0
  return {
    url: `ws://127.0.0.1:${port}`,
    /** Resolves to the next connection; `gone` resolves when that has ended. */
    async next() {
      const [socket] = await once(server, 'connection')
      return { gone: once(socket, 'close') }
    },
    async [Symbol.asyncDispose]() {
      server.close()
    },
  }
}

afterEach(() => void vi.useRealTimers())

describe('a connection to several servers', () => {
  test('is made to the first that answers, and goes on at the next one without gap or repeat', async () => {
    await using first = await serve(open(3))
    await using second = await serve(open(5))
    const gone = await serve({})
    await gone.end()
    await using parley = await connect({ urls: [gone.url, first.url, second.url], token: 'secret' })
    const conversation = await parley.resume(conversationId)
    const events = conversation.events()
    const fourth = events.next()
    const links: LinkState[] = []
    conversation.onLink((link) => links.push(link))
    const before = await first.far()
    before.event(named(4))
    expect((await fourth).value).toMatchObject({ seq: 4 })

    await first.end()
    const after = await second.far()
    expect(await after.next('conversation/stream')).toMatchObject({ after: cursorAt(4) })
    for (const seq of [4, 5, 6]) after.event(named(seq))
    expect((await events.next()).value).toMatchObject({ seq: 5 })
    expect((await events.next()).value).toMatchObject({ seq: 6 })
    expect(conversation.state.core.meta.name).toBe('n6')
    expect(links[0]).toMatchObject({ kind: 'lost', address: first.url })
    expect(links.at(-1)).toMatchObject({ kind: 'up', address: second.url })
  })

  test('goes to a server that cannot be reached from here through the one that it asked', async () => {
    await using owner = await serve(open(3, { 'approval/decide': () => ({}) }))
    const [port = 0] = await freePorts(1)
    const address = `ws://127.0.0.1:${port}`
    const elsewhere = () => {
      throw new RpcError(-32010, 'It is open elsewhere.', { code: 'liveElsewhere', conversationId, pid: null, address })
    }
    await using asked = await serve(open(3, { 'conversation/resume': elsewhere }), {
      relayTo: async (to) => (to === address ? { url: owner.url } : null),
    })
    for (const target of [{ urls: [asked.url] }, { url: `${asked.url}/` }]) {
      await using parley = await connect({ ...target, token: 'secret' })
      const conversation = await parley.resume(conversationId)
      expect(conversation.attached).toBe(true)
      await conversation.decide('a-1', 'approved')
    }
    const { asked: requests } = await owner.far()
    expect(requests.map(([method]) => method)).toContain('approval/decide')

    // It is the owner that judges the token.
    await owner.reject()
    await using rejected = await connect({ url: asked.url, token: 'secret' })
    await expect(rejected.resume(conversationId)).rejects.toMatchObject({ data: { reason: 'refused' } })
  })

  test('that only watches waits until the next one has the conversation open, and goes on there', async () => {
    await using first = await serve(open(3))
    await using second = await serve(open(5, { 'conversation/resume': openedLater(2) }))
    await using parley = await connect({ urls: [first.url, second.url], token: 'secret' }, { access: 'readOnly' })
    const watched = await parley.watch(conversationId)
    expect(watched).toMatchObject({ attached: true, readOnly: true })
    const events = watched.events()
    const fourth = events.next()
    const before = await first.far()
    before.event(named(4))
    expect((await fourth).value).toMatchObject({ seq: 4 })

    await first.end()
    const after = await second.far()
    expect(await after.next('conversation/stream')).toMatchObject({ after: cursorAt(4) })
    for (const seq of [4, 5]) after.event(named(seq))
    expect((await events.next()).value).toMatchObject({ seq: 5 })
  })

  test('sends a request again only where a second one does nothing more', async () => {
    await using first = await serve(open(1, { 'approval/decide': silent, 'conversation/rename': silent }))
    await using second = await serve(open(1, { 'approval/decide': () => ({}) }))
    await using parley = await connect({ urls: [first.url, second.url], token: 'secret' })
    const conversation = await parley.resume(conversationId)
    const decided = conversation.decide('a-1', 'approved')
    const renamed = expect(conversation.rename('other')).rejects.toMatchObject({ data: { code: 'outcomeUnknown' } })
    const before = await first.far()
    await before.next('conversation/rename')
    await first.end()

    await renamed
    await decided
    const { asked } = await second.far()
    expect(asked.map(([method]) => method)).toContain('approval/decide')
    expect(asked.map(([method]) => method)).not.toContain('conversation/rename')
  })

  test('follows a conversation to the server that has it by now, when it is asked about it', async () => {
    await using owner = await serve(open(2, { 'conversation/interrupt': () => ({ interrupted: true }) }))
    await using asked = await serve(movedTo(owner.url))
    await using parley = await connect({ urls: [asked.url], token: 'secret' })
    const conversation = await parley.resume(conversationId)
    const next = conversation.events().next()
    expect(await conversation.interrupt()).toBe(true)
    const there = await owner.far()
    there.event(named(3))
    expect((await next).value).toMatchObject({ seq: 3 })
  })

  test('goes to the server that took a conversation over as soon as it is told, and tells nobody of the loss', async () => {
    await using owner = await serve(open(2))
    await using paused = await serve(movedTo(owner.url))
    const notices: string[] = []
    const onNotice = ({ code }: { readonly code: string }) => void notices.push(code)
    await using parley = await connect({ urls: [paused.url], token: 'secret' }, { onNotice })
    const conversation = await parley.resume(conversationId)
    const next = conversation.events().next()
    const here = await paused.far()
    here.notice({ level: 'error', code: 'storageFailed', message: 'taken', errno: 'STORE_TAKEN', conversationId })
    here.notice({ level: 'info', code: 'other', message: 'something else' })
    const there = await owner.far()
    await there.next('conversation/stream')
    there.event(named(3))
    expect((await next).value).toMatchObject({ seq: 3 })
    expect(notices).toEqual(['other'])
  })

  test('ends with the reason of each server when none answers', async () => {
    const gone = await serve({})
    await gone.end()
    await using strict = await serve({})
    const connecting = connect({ urls: [gone.url, strict.url], token: 'wrong' })
    await expect(connecting).rejects.toMatchObject({
      data: { code: 'serverUnreachable' },
      message: expect.stringMatching(/ECONNREFUSED.*401/),
    })
  })

  test('ends at once when the last server that accepted its token does not any more, with what that means', async () => {
    await using first = await serve(open(1))
    await using second = await serve(open(1))
    await using parley = await connect({ urls: [first.url, second.url], token: 'secret' })
    const conversation = await parley.resume(conversationId)
    const links: LinkState[] = []
    const isUp = Promise.withResolvers<void>()
    conversation.onLink((link) => {
      links.push(link)
      if (link.kind === 'up') isUp.resolve()
    })
    await first.reject()
    await isUp.promise
    expect(links.at(-1)).toMatchObject({ kind: 'up', address: second.url })
    const waiting = expect(conversation.events().next()).rejects.toMatchObject({ data: { code: 'accessEnded' } })
    await second.reject()
    expect(await parley.closed).toMatchObject({
      data: { code: 'accessEnded' },
      message: expect.stringMatching(/\(401\); the same at wss?:.*Ask whoever runs the server for a new one/),
    })
    await waiting
    expect(links.at(-1)).toMatchObject({ kind: 'ended', reason: { data: { code: 'accessEnded' } } })
    await expect(connect({ urls: [first.url, second.url], token: 'secret' })).rejects.toMatchObject({
      data: { code: 'accessEnded' },
    })
  })

  test('says while it is sought that the lost server does not accept the token, and waits for the others', async () => {
    await using first = await serve(open(1))
    const gone = await serve({})
    await gone.end()
    await using parley = await connect({ urls: [first.url, gone.url], token: 'secret' })
    const conversation = await parley.resume(conversationId)
    const rejected = Promise.withResolvers<LinkState>()
    conversation.onLink((link) => {
      if (link.kind === 'lost' && link.isRejected === true) rejected.resolve(link)
    })
    await first.reject()
    expect(await rejected.promise).toMatchObject({ address: first.url, trying: gone.url, why: 'nothing listens there' })
  })

  // The websocket library gives up by itself after 10 s.
  test('that is closed, or given up, waits for no address that does not answer', { timeout: 8_000 }, async () => {
    await using first = await serve(open(1))
    await using hole = await openHole()
    const parley = await connect({ urls: [first.url, hole.url], token: 'secret' })
    // No limit passes from here on.
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    const tried = hole.next()
    await first.end()
    const { gone } = await tried
    await parley.close()
    await gone

    const giveUp = new AbortController()
    const again = hole.next()
    const connecting = connect({ urls: [hole.url], token: 'secret' }, { signal: giveUp.signal })
    const attempt = await again
    giveUp.abort(new Error('given up'))
    await expect(connecting).rejects.toThrow('given up')
    await attempt.gone
  })

  test('to another machine without TLS is refused before the token is sent', async () => {
    const connecting = connect({ urls: ['ws://192.0.2.1:7100'], token: 'secret' })
    await expect(connecting).rejects.toMatchObject({ data: { code: 'notSecure' } })
  })
})

/** Methods of a server that has lost the conversation to another one since it was opened. */
/** Rejects who may not open a conversation until somebody else has. */
function openedLater(rejections: number): MethodHandler {
  let left = rejections
  return () => {
    if (left === 0) return summary
    left -= 1
    throw new RpcError(-32003, 'Nobody has it open.', { code: 'notPermitted' })
  }
}

function movedTo(address: string): FakeMethods {
  let isOpened = false
  const elsewhere = () => {
    const data = { code: 'liveElsewhere', conversationId, socket: null, address }
    throw new RpcError(-32010, 'It is open on another server.', data)
  }
  const resume = () => {
    if (isOpened) elsewhere()
    isOpened = true
    return summary
  }
  return open(2, { 'conversation/resume': resume, 'conversation/interrupt': elsewhere })
}
