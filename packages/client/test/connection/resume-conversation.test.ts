import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listenSocket, type MethodHandler, RpcError } from '@parley/rpc'
import { listenWebSocket } from '@parley/rpc/websocket'
import { loopbackCertificate, tempDirectory } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import { type CheckResult, connectClient } from '../../src/connection/client.ts'
import type { ServerAccess } from '../../src/connection/reach-server.ts'
import { requestWhereItLives, resumeConversation } from '../../src/connection/resume-conversation.ts'
import { conversationId, type FakeMethods, fakeFarSide, fakeServer } from '../fake-server.ts'

const summary = { conversationId, shortId: conversationId.slice(-8), cwd: '/w' }

/** A client whose server has every conversation live in the process with this socket. */
function besideOwner(
  socket: string | null,
  checkResult: CheckResult = () => undefined,
  capabilities: readonly string[] = [],
) {
  const refuse = () => {
    throw new RpcError(-32010, 'It is open elsewhere.', { code: 'liveElsewhere', conversationId, pid: 77, socket })
  }
  const methods = {
    'conversation/resume': refuse,
    'conversation/rename': refuse,
    initialize: () => ({ ...greeting, capabilities }),
  }
  return connectClient({
    transport: fakeServer(methods).transport,
    clientInfo: { name: 'asker', version: '9' },
    canApprove: false,
    access: 'readOnly',
    callbacks: { checkResult },
  })
}

/** A process that has the conversation, on a socket of its own. */
async function owner(methods: FakeMethods) {
  const folder = await tempDirectory()
  const path = join(folder.path, 'owner.sock')
  const asked: [string, unknown][] = []
  const ended: Promise<unknown>[] = []
  const listener = await listenSocket({
    path,
    onConnection(transport) {
      const all: FakeMethods = { initialize: () => greeting, ...methods }
      const record = (name: string, handler: MethodHandler): MethodHandler => {
        return (params, context) => {
          asked.push([name, params])
          return handler(params, context)
        }
      }
      const recorded = Object.entries(all).map(([name, handler]) => [name, record(name, handler)])
      fakeFarSide(transport, Object.fromEntries(recorded))
      ended.push(transport.closed)
    },
  })
  return {
    path,
    asked,
    /** Every connection has ended. */
    left: () => Promise.all(ended),
    listener,
    async [Symbol.asyncDispose]() {
      await listener.close()
      await folder[Symbol.asyncDispose]()
    },
  }
}

const greeting = {
  protocolVersion: 2,
  serverInfo: { name: 'fake', version: '0', build: '0' },
  clientId: 'c-9',
  home: '/h',
  capabilities: [],
}

const refuseWith = (code: string, message: string) => () => {
  throw new RpcError(-32600, message, { code })
}

describe('a conversation that is resumed', () => {
  test('stays with the client when it is opened there', async () => {
    const { transport } = fakeServer({ 'conversation/resume': () => summary })
    const client = await connectClient({ transport, clientInfo: { name: 'a', version: '0' }, canApprove: true })
    expect(await resumeConversation(client, { last: true })).toEqual({ client, summary, attached: false })
  })

  test('is joined at its owner, by its id and as who we are, when it is live there', async () => {
    await using there = await owner({ 'conversation/resume': () => summary })
    const { client, attached } = await resumeConversation(await besideOwner(there.path), {
      prefix: 'cart-bug',
      overrides: { model: 'm2' },
    })
    expect(attached).toBe(true)
    expect(client.server.clientId).toBe('c-9')
    expect(there.asked).toEqual([
      [
        'initialize',
        {
          protocolVersion: { min: 2, max: 2 },
          clientInfo: { name: 'asker', version: '9' },
          capabilities: [],
          access: 'readOnly',
        },
      ],
      ['conversation/resume', { conversationId, overrides: { model: 'm2' } }],
    ])
    await client.close()
  })

  test('has the results of its owner checked, too', async () => {
    await using there = await owner({ 'conversation/resume': () => summary })
    const checked: string[] = []
    const asker = await besideOwner(there.path, (method) => void checked.push(method))
    const { client } = await resumeConversation(asker, { prefix: 'cart-bug' })
    expect(checked).toEqual(['initialize', 'initialize', 'conversation/resume'])
    await client.close()
  })

  test('leaves no connection behind when its owner refuses it', async () => {
    await using there = await owner({ 'conversation/resume': refuseWith('configInvalid', 'That model is unknown.') })
    const resuming = resumeConversation(await besideOwner(there.path), { prefix: 'x' })
    await expect(resuming).rejects.toMatchObject({ data: { code: 'configInvalid' } })
    await there.left()
  })
})

describe('an owner that cannot be joined is named, with why and what is left, when it', () => {
  const resumed = async (socket: string | null) => resumeConversation(await besideOwner(socket), { conversationId })

  test('does not listen', async () => {
    await expect(resumed(null)).rejects.toMatchObject({
      message: expect.stringMatching(/00000001 is open in process 77\..*does not listen\. View it read-only, or fork/),
      data: { code: 'liveElsewhere', reason: 'notListening', pid: 77 },
    })
  })

  test('was started without --safe and the asking server with it: nothing is asked of it', async () => {
    await using there = await owner({ 'conversation/resume': () => summary })
    const resuming = resumeConversation(await besideOwner(there.path, undefined, ['safe']), { conversationId })
    await expect(resuming).rejects.toMatchObject({
      message: expect.stringMatching(/in process 77\. It was started without --safe, so it is not joined from here/),
      data: { code: 'liveElsewhere', reason: 'notSafe' },
    })
    expect(there.asked.map(([method]) => method)).toEqual(['initialize'])
  })

  test('has left its socket behind', async () => {
    await using there = await owner({})
    await there.listener.close()
    await expect(resumed(there.path)).rejects.toMatchObject({ data: { code: 'liveElsewhere', reason: 'unreachable' } })
  })

  test('hangs up', async () => {
    await using folder = await tempDirectory()
    const path = join(folder.path, 'owner.sock')
    await using _listener = await listenSocket({ path, onConnection: (transport) => void transport.close() })
    await expect(resumed(path)).rejects.toMatchObject({ data: { code: 'liveElsewhere', reason: 'unreachable' } })
  })

  test('is stopped: the system takes the connection, and nobody answers', async () => {
    await using there = await owner({ initialize: () => new Promise(() => undefined) })
    await expect(resumed(there.path)).rejects.toMatchObject({
      message: expect.stringContaining('does not answer'),
      data: { code: 'liveElsewhere', reason: 'unreachable' },
    })
    await there.left()
  })

  test('speaks other versions of the protocol, which are both named', async () => {
    const words = 'No common protocol version: this server speaks 2 to 3, the client 1 to 1. Update the older one.'
    await using there = await owner({ initialize: refuseWith('protocolVersion', words) })
    await expect(resumed(there.path)).rejects.toMatchObject({
      message: expect.stringContaining(words),
      data: { code: 'liveElsewhere', reason: 'protocolVersion' },
    })
    await there.left()
  })
})

describe('a request about a conversation that is live elsewhere', () => {
  test('is answered by its owner, and nothing stays open there', async () => {
    await using there = await owner({ 'conversation/rename': () => ({ seq: 5 }) })
    const client = await besideOwner(there.path)
    expect(await requestWhereItLives(client, 'conversation/rename', { conversationId, name: 'x' })).toEqual({ seq: 5 })
    await there.left()
  })

  test('that fails for another reason is not sent on', async () => {
    const { transport } = fakeServer({ 'conversation/rename': refuseWith('conversationNotFound', 'There is none.') })
    const client = await connectClient({ transport, clientInfo: { name: 'a', version: '0' }, canApprove: true })
    await expect(requestWhereItLives(client, 'conversation/rename', { conversationId, name: 'x' })).rejects.toThrow(
      'There is none.',
    )
  })
})

describe('an owner on another machine', () => {
  /** A client whose server names the owner by this address, and which was given these means. */
  const away = (address: string, reach: ServerAccess) => {
    const refuse = () => {
      throw new RpcError(-32010, 'It is open elsewhere.', { code: 'liveElsewhere', conversationId, address })
    }
    const methods = { 'conversation/resume': refuse, 'conversation/rename': refuse, initialize: () => greeting }
    return connectClient({
      transport: fakeServer(methods).transport,
      clientInfo: { name: 'asker', version: '9' },
      canApprove: false,
      reach,
    })
  }
  const serveOwner = (methods: FakeMethods) => {
    const { certFile, keyFile } = loopbackCertificate
    return listenWebSocket({
      host: '127.0.0.1',
      port: 0,
      token: 'secret',
      tls: { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') },
      onConnection: (transport) => void fakeFarSide(transport, { initialize: () => greeting, ...methods }),
    })
  }

  test('is reached with the authority that the client was given, as the first server', async () => {
    await using there = await serveOwner({ 'conversation/rename': () => ({ seq: 5 }) })
    const rename = async (reach: ServerAccess) =>
      requestWhereItLives(await away(there.url, reach), 'conversation/rename', { conversationId, name: 'x' })
    const ca = readFileSync(loopbackCertificate.certFile, 'utf8')
    expect(await rename({ token: 'secret', ca })).toEqual({ seq: 5 })
    await expect(rename({ token: 'secret' })).rejects.toMatchObject({ data: { reason: 'unreachable' } })
  })

  test('gets no token where it has no TLS, unless that is permitted', async () => {
    const address = 'ws://0.0.0.0:1'
    const why = async (reach: ServerAccess) =>
      resumeConversation(await away(address, reach), { conversationId }).catch((error: unknown) => error)
    expect(await why({ token: 'secret' })).toMatchObject({
      message: expect.stringContaining('no TLS'),
      data: { reason: 'unreachable' },
    })
    expect(await why({ token: 'secret', allowUnencrypted: true })).toMatchObject({
      message: expect.stringContaining('cannot connect to'),
    })
  })
})
