import type { LiveConversation } from '@parley/engine/src/live/live-conversation.ts'
import { watchMissingKeys } from '@parley/engine/src/open/follow-store.ts'
import { unknownModel } from '@parley/engine/src/settings/facts-of-model.ts'
import { type ScriptedModel, type Step, scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import type { TestPorts } from '@parley/engine/test/support/test-parts.ts'
import type { ModelFacts } from '@parley/models'
import { describe, expect, it } from 'vitest'
import { passedOnStore } from '../../environments/support/passed-on-store.ts'
import { testPlace } from '../support/test-server.ts'

const facts: ModelFacts = { ...unknownModel, contextWindow: 1000 }
const noKey = {
  failure: { code: 'noCredentials', message: 'No key for fake: FAKE_KEY is not set.', retry: 'never' },
} satisfies Step
const terminal = { capabilities: ['approvals', 'limits'] }

/** Ports of a server of a store that has the key of every provider but those that `lacks` is true for. */
function serverOf(model: ScriptedModel, lacks: (provider: string) => boolean = () => false): TestPorts {
  const source = { client: model.client, limits: { requestMaxRetries: 2, streamMaxRetries: 2 }, factsOf: () => facts }
  return {
    store: passedOnStore(),
    models: () => (id) => ({ ...source, maxOutputOf: () => undefined, lacksKey: () => lacks(id) }),
  }
}

/** Starts a turn on a server without the key. */
async function waitingTurn(ports: TestPorts, greeting = terminal) {
  const place = testPlace()
  const server = place.start(ports)
  server.engine.listensAt({ socket: null, others: [], announced: 'ws://one' })
  const client = await server.connect('one', greeting)
  const { conversationId } = await client.request('conversation/create', { cwd: place.cwd })
  const watched = await client.watch(conversationId)
  return { place, server, client, conversationId, watched }
}

describe('a server of a store without the key of a model', () => {
  it('parks the turn, says what is missing where, and goes on once the key is there', async () => {
    let lacks = true
    const model = scriptedModel(noKey, { text: 'Done.' })
    const { place, watched } = await waitingTurn(serverOf(model, () => lacks))
    await using _place = place
    void watched.send('go')
    await watched.until(({ core }) => core.turn?.missingKey === 'fake')
    const notice = watched.items().find(({ type }) => type === 'notice')
    expect(notice).toMatchObject({
      code: 'missingKey',
      title: expect.stringMatching(/^ws:\/\/one has no key for fake/),
    })

    lacks = false
    await watched.turnEnded()
    expect(watched.state.core.lastTurn).toMatchObject({ outcome: 'completed' })
    expect(watched.story().filter((line) => line.startsWith('turn.'))).toEqual([
      'turn.started message',
      'turn.parked',
      'turn.continued',
      'turn.ended completed',
    ])
    expect(model.requests).toHaveLength(2)
  })

  it('leaves the turn to another server that has it, which goes on with what there is', async () => {
    const model = scriptedModel(noKey)
    const ports = serverOf(model, () => true)
    const next = { node: 'two', pid: 2, address: 'ws://two', page: null, providers: ['other', 'fake'] }
    const others = async () => [{ ...next, node: 'no', page: null, providers: ['other'] }, next]
    const store = { ...passedOnStore(), servers: { announce: () => undefined, others } }
    const { place, client, conversationId, watched } = await waitingTurn({ ...ports, store })
    await using _place = place
    void watched.send('go')
    await client.notice(({ errno, conversationId: of }) => errno === 'STORE_TAKEN' && of === conversationId)
    const refused = await client.refused('conversation/resume', { conversationId })
    expect(refused).toMatchObject({ code: 'liveElsewhere', detail: { address: 'ws://two' } })

    const other = scriptedModel({ text: 'Done.' })
    const there = await place.start(serverOf(other)).connect('two', terminal)
    await there.request('conversation/resume', { conversationId })
    const seen = await there.watch(conversationId)
    await seen.until(({ core }) => core.lastTurn)
    expect(seen.state.core.lastTurn).toMatchObject({ outcome: 'completed' })
    expect([model.requests.length, other.requests.length]).toEqual([1, 1])
  })

  it('takes it back where the server that was to have it dies before it opens it', async () => {
    const living = [{ node: 'two', pid: 2, address: 'ws://two', page: null, providers: ['fake'] }]
    const store = { ...passedOnStore(), servers: { announce: () => undefined, others: async () => living } }
    const ports = { ...serverOf(scriptedModel(noKey), () => true), store }
    const { place, client, conversationId, watched } = await waitingTurn(ports)
    await using _place = place
    void watched.send('go')
    await client.notice(({ errno, conversationId: of }) => errno === 'STORE_TAKEN' && of === conversationId)
    expect(await client.refused('conversation/resume', { conversationId })).toMatchObject({ code: 'liveElsewhere' })
    living.length = 0
    expect(await client.request('conversation/resume', { conversationId })).toMatchObject({ readOnly: false })
  })

  it('goes on with those behind one whose log takes nothing, and says that once', async () => {
    const reported: unknown[] = []
    const went: string[] = []
    const waits = { turn: { id: 't', parked: true, missingKey: 'fake' } }
    const liveOf = (id: string, record: () => void) => ({
      conversation: { id, readOnly: false, state: { core: waits }, record },
      roles: { model: { current: () => ({}) } },
      turns: { wake: () => went.push(id) },
    })
    const full = new Error('no room')
    const stuck = liveOf('c-1', () => {
      throw full
    })
    // narrowed: what a look uses of a conversation
    const conversations = () => [stuck, liveOf('c-2', () => undefined)] as unknown as LiveConversation[]
    const sharing = { passOn: () => undefined }
    const report = (fault: unknown, id?: string) => reported.push([fault, id])
    using keys = watchMissingKeys(passedOnStore(), { sharing, conversations, report })
    await keys.look()
    await keys.look()
    expect([reported, went]).toEqual([[[full, 'c-1']], ['c-2', 'c-2']])
  })

  it('ends a turn that a script alone follows, where no server has the key', async () => {
    const { place, watched } = await waitingTurn(
      serverOf(scriptedModel(noKey), () => true),
      {
        capabilities: ['approvals'],
      },
    )
    await using _place = place
    void watched.send('go')
    await watched.turnEnded()
    expect(watched.state.core.lastTurn).toMatchObject({ outcome: 'interrupted' })
    expect(watched.items().at(-1)).toMatchObject({
      title: expect.stringMatching(/^No server that lives has a key for fake\./),
    })
  })

  it('goes on by itself with another model that somebody chooses', async () => {
    const model = scriptedModel(noKey, { text: 'Done.' })
    const { place, client, conversationId, watched } = await waitingTurn(serverOf(model, (id) => id === 'fake'))
    await using _place = place
    void watched.send('go')
    await watched.until(({ core }) => core.turn?.missingKey)
    await client.request('conversation/configure', {
      conversationId,
      settings: { modelProvider: 'other', model: 'm2' },
    })
    await watched.turnEnded()
    expect(watched.state.core.lastTurn).toMatchObject({ outcome: 'completed' })
    expect(model.requests.at(-1)?.model).toBe('m2')
  })
})
