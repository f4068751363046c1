import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import type { ModelRequest } from '@parley/models'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../support/test-server.ts'

const text = (value: string) => [{ type: 'text' as const, text: value }]
const usersOf = (request: ModelRequest | undefined) =>
  request?.entries
    .flatMap((entry) =>
      entry.kind === 'user' ? entry.content.map((part) => (part.type === 'text' ? part.text : part.mediaType)) : [],
    )
    .slice(1)

describe('a message sent while a turn runs', () => {
  it('is rejected when it is for now', async () => {
    await using place = testPlace()
    const { client, watched } = await place.talk({ model: scriptedModel({ hang: true }) })
    const { turnId } = await watched.send('one')
    const { conversationId } = watched
    expect(await client.refused('conversation/sendMessage', { conversationId, input: text('two') })).toMatchObject({
      number: -32006,
      code: 'turnInProgress',
      detail: { turnId },
    })
  })

  it('joins the turn after all results of the response when it steers', async () => {
    await using place = testPlace()
    const gate = Promise.withResolvers<void>()
    const calls = [
      { name: 'list_dir', args: {} },
      { name: 'update_plan', args: { plan: [{ step: 'a', status: 'pending' }] } },
    ]
    const model = scriptedModel({ calls, gate: gate.promise }, { text: 'ok' })
    const { watched } = await place.talk({ model })
    const first = await watched.send('one')
    expect(await watched.send('two', { when: 'steer' })).toMatchObject({
      disposition: 'steering',
      turnId: first.turnId,
    })
    expect(watched.state.core.inbox).toMatchObject([{ when: 'steer', content: text('two') }])
    gate.resolve()
    await watched.turnEnded()
    expect(model.requests[1]?.entries.map(({ kind }) => kind)).toEqual([
      'user',
      'user',
      'response',
      'result',
      'result',
      'user',
    ])
    expect(usersOf(model.requests[1])).toEqual(['one', 'two'])
    expect(watched.state.core.counts.turns).toBe(1)
  })

  it('continues the turn after the last answer when it steers', async () => {
    await using place = testPlace()
    const gate = Promise.withResolvers<void>()
    const model = scriptedModel({ text: 'a', gate: gate.promise }, { text: 'b' })
    const { watched } = await place.talk({ model })
    await watched.send('one')
    await watched.send('two', { when: 'steer' })
    gate.resolve()
    await watched.turnEnded()
    expect(watched.state.core.counts.turns).toBe(1)
    expect(usersOf(model.requests[1])).toEqual(['one', 'two'])
  })

  it('gets a turn of its own when it is queued', async () => {
    await using place = testPlace()
    const gate = Promise.withResolvers<void>()
    const model = scriptedModel({ text: 'a', gate: gate.promise }, { text: 'b' })
    const { watched } = await place.talk({ model })
    await watched.send('one')
    expect(await watched.send('two', { when: 'queue' })).toMatchObject({ disposition: 'queued' })
    gate.resolve()
    await watched.until(({ core }) => core.counts.turns === 2 && core.turn === null)
    expect(watched.story().slice(-11)).toMatchInlineSnapshot(`
      [
        "model.responded",
        "turn.ended completed",
        "turn.started inbox",
        "item.completed userMessage completed",
        "message.consumed",
        "model.requested 1",
        "item.started agentMessage inProgress",
        "item.completed agentMessage completed",
        "usage.updated",
        "model.responded",
        "turn.ended completed",
      ]
    `)
  })

  it('is sent as edited, and is not sent when it was removed', async () => {
    await using place = testPlace()
    const gate = Promise.withResolvers<void>()
    const model = scriptedModel({ text: 'a', gate: gate.promise }, { text: 'b' })
    const { client, watched } = await place.talk({ model })
    const { conversationId } = watched
    await watched.send('one')
    await watched.send('two', { when: 'queue', messageId: 'm-two' })
    await watched.send('three', { when: 'queue', messageId: 'm-three' })
    await client.request('conversation/inbox/edit', { conversationId, messageId: 'm-two', content: text('zwei') })
    await client.request('conversation/inbox/remove', { conversationId, messageId: 'm-three' })
    gate.resolve()
    await watched.until(({ core }) => core.counts.turns === 2 && core.turn === null)
    expect(usersOf(model.requests.at(-1))).toEqual(['one', 'zwei'])
    const gone = { conversationId, messageId: 'm-two', content: text('due') }
    expect(await client.refused('conversation/inbox/edit', gone)).toMatchObject({
      number: -32004,
      code: 'messageNotQueued',
    })
  })

  it('can change settings only when it is for now', async () => {
    await using place = testPlace()
    const { client, watched } = await place.talk({ model: scriptedModel({ hang: true }) })
    await watched.send('one')
    const params = {
      conversationId: watched.conversationId,
      input: text('two'),
      when: 'queue',
      overrides: { model: 'm2' },
    } as const
    expect(await client.refused('conversation/sendMessage', params)).toMatchObject({
      code: 'invalidParams',
      detail: { field: 'overrides' },
    })
  })
})

describe('the inbox', () => {
  it('waits after an interrupt until the user continues', async () => {
    await using place = testPlace()
    const model = scriptedModel({ text: 'a', hang: true }, { text: 'b' }, { text: 'c' }, { text: 'd' })
    const { client, watched } = await place.talk({ model })
    const { conversationId } = watched
    await watched.send('one')
    await watched.until(({ core }) => core.turn?.modelCalls === 1)
    await watched.send('two', { when: 'queue' })
    await watched.send('three', { when: 'queue' })
    await client.request('conversation/interrupt', { conversationId })
    await watched.turnEnded()
    expect(watched.state.core).toMatchObject({ inboxPaused: true, turn: null })
    await watched.send('in between')
    await watched.turnEnded()
    expect(watched.state.core.inbox).toHaveLength(2)
    const onward = { conversationId, requestKey: 'on' }
    expect(await client.request('conversation/continue', onward)).toEqual({ continued: true })
    await watched.until(({ core }) => core.counts.turns === 4 && core.turn === null)
    expect(await client.request('conversation/continue', onward)).toEqual({ continued: true })
    const message = { conversationId, messageId: 'on', input: [{ type: 'text' as const, text: 'hi' }] }
    expect(await client.refused('conversation/sendMessage', message)).toMatchObject({ code: 'invalidParams' })
    expect(watched.state.core.counts.turns).toBe(4)
    expect(usersOf(model.requests.at(-1))).toEqual(['one', 'in between', 'two', 'three'])
    expect(await client.request('conversation/continue', { conversationId })).toEqual({ continued: false })
  })
})

describe('a message id', () => {
  it('gives the first result when it is sent again, and sends nothing', async () => {
    await using place = testPlace()
    const model = scriptedModel({ text: 'a' })
    const { watched } = await place.talk({ model })
    const first = await watched.send('one', { messageId: 'm-1' })
    expect(await watched.send('one', { messageId: 'm-1' })).toEqual(first)
    await watched.turnEnded()
    expect(await watched.send('one', { messageId: 'm-1' })).toEqual(first)
    expect(model.requests).toHaveLength(1)
  })

  it('is remembered for a queued message after it was sent', async () => {
    await using place = testPlace()
    const gate = Promise.withResolvers<void>()
    const { watched } = await place.talk({ model: scriptedModel({ text: 'a', gate: gate.promise }, { text: 'b' }) })
    await watched.send('one')
    const first = await watched.send('two', { messageId: 'm-2', when: 'queue' })
    gate.resolve()
    await watched.until(({ core }) => core.counts.turns === 2 && core.turn === null)
    expect(await watched.send('two', { messageId: 'm-2', when: 'queue' })).toEqual(first)
  })
})
