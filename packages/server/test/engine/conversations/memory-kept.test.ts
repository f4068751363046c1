import { setTimeout as delay } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { ScriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import type { ModelEvent } from '@parley/models'
import type { ConversationId, Envelope } from '@parley/protocol'
import { createMemoryTransportPair, createPeer } from '@parley/rpc'
import { expect, it } from 'vitest'
import { serveConnection } from '../../../src/frontends/conversation/connections.ts'
import { type TestServer, testPlace } from '../support/test-server.ts'

const isLong = process.env['PARLEY_LONG_TESTS'] === '1'
/** Two items each: a message and an answer. */
const turns = isLong ? 2500 : 250
const reconnects = isLong ? 100 : 20
const mebibyte = 1024 * 1024

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

/** Bytes that are held after all garbage was collected. */
function heldBytes(): number {
  for (let round = 0; round < 3; round++) collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** Model that answers at once and keeps no request. */
const answering: ScriptedModel = {
  requests: [],
  script: () => undefined,
  client: {
    adapter: 'scripted/1',
    async *stream(): AsyncGenerator<ModelEvent, void, undefined> {
      const text = 'The log is the truth, and the rest is a fold of it. '.repeat(10)
      const usage = { inputTokens: 10, cachedInputTokens: 0, outputTokens: 10, reasoningTokens: 0 }
      yield { type: 'textDelta', part: 't', text }
      yield { type: 'textDone', part: 't', text }
      yield { type: 'completed', parts: [], usage, stop: 'stop' }
    },
    listModels: () => Promise.resolve({ type: 'models', models: ['m1'] }),
  },
}

/** Connects a client that follows a conversation and keeps nothing of it. */
async function follower({ engine }: TestServer) {
  const [ours, theirs] = createMemoryTransportPair()
  void serveConnection(theirs, engine)
  let ended: () => void = () => undefined
  const peer = createPeer({
    transport: ours,
    methods: {},
    notifications: {
      'conversation/event': (params) => {
        if ((params as Envelope).event.type === 'turn.ended') ended()
      },
    },
  })
  await peer.request('initialize', { protocolVersion: { min: 2, max: 2 }, clientInfo: { name: 'soak', version: '1' } })
  peer.notify('initialized', {})
  return {
    peer,
    async turn(conversationId: ConversationId, text: string) {
      const over = new Promise<void>((resolve) => {
        ended = resolve
      })
      await peer.request('conversation/sendMessage', { conversationId, input: [{ type: 'text', text }] })
      await over
    },
  }
}

it('a server holds little of a long conversation, and nothing more while it is idle or clients come and go', {
  timeout: 600_000,
}, async () => {
  await using place = testPlace()
  const server = place.start({ model: answering, facts: { contextWindow: 20_000 } })
  const { peer, turn } = await follower(server)
  const { conversationId } = (await peer.request('conversation/create', { cwd: place.cwd })) as {
    conversationId: ConversationId
  }
  await peer.request('conversation/stream', { conversationId })
  for (let n = 0; n < 100; n++) await turn(conversationId, `Message ${n}`)
  const beforeBytes = heldBytes()
  for (let n = 0; n < turns; n++) await turn(conversationId, `Message ${n}`)
  const afterBytes = heldBytes()
  expect(afterBytes - beforeBytes).toBeLessThan(20 * mebibyte)
  for (let n = 0; n < reconnects; n++) {
    const other = await follower(server)
    await other.peer.request('conversation/resume', { conversationId })
    await other.peer.request('conversation/stream', { conversationId })
    await other.peer.close()
  }
  const reconnectedBytes = heldBytes()
  expect(reconnectedBytes - afterBytes).toBeLessThan(mebibyte)
  if (isLong) await delay(20_000)
  expect(heldBytes() - reconnectedBytes).toBeLessThan(mebibyte / 4)
})
