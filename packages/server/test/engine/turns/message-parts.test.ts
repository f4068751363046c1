import { existsSync, writeFileSync } from 'node:fs'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import type { ModelRequest } from '@parley/models'
import { smallPng as png } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../support/test-server.ts'

const url = `data:image/png;base64,${png.toString('base64')}`
const schema = { type: 'object', required: ['a'] }

function imagesOf(request: ModelRequest | undefined): string[] {
  const parts = request?.entries.flatMap((entry) => (entry.kind === 'user' ? entry.content : [])) ?? []
  return parts.flatMap((part) => (part.type === 'image' ? [`${part.mediaType} ${part.base64}`] : []))
}

describe('an image', () => {
  it('given as data is stored as a side file, which a fork has too', async () => {
    await using place = testPlace()
    const model = scriptedModel()
    const { client, watched } = await place.talk({ model })
    const { conversationId } = watched
    const input = [
      { type: 'text' as const, text: 'see' },
      { type: 'image' as const, url },
    ]
    await client.request('conversation/sendMessage', { conversationId, input })
    await watched.turnEnded()
    expect(watched.items()[0]).toMatchObject({
      text: 'see\n[image]',
      content: [{}, { type: 'image', mediaType: 'image/png', file: expect.stringMatching(/^sha256:/) }],
    })
    const fork = await client.request('conversation/fork', { conversationId })
    await client.request('conversation/delete', { conversationId })
    const forked = await client.watch(fork.conversationId)
    await forked.send('and now')
    await forked.turnEnded()
    expect(model.requests.map(imagesOf)).toEqual(Array(2).fill([`image/png ${png.toString('base64')}`]))
  })

  it.each([
    ['neither path nor url', {}, /either a path or a url/],
    ['both', { path: '/a.png', url }, /either a path or a url/],
    ['a relative path', { path: 'a.png' }, /must be absolute/],
    ['another url', { url: 'https://example.test/a.png' }, /data: URL in base64/],
    ['a url of no image', { url: 'data:image/png;base64,AAAA' }, /is not a PNG/],
    ['a url of an image that is cut off', { url: url.slice(0, -8) }, /image is cut off or damaged/],
  ])('is rejected with %s, and nothing is stored', async (_name, image, words) => {
    await using place = testPlace()
    const { client, watched } = await place.talk({})
    const { conversationId } = watched
    const input = [
      { type: 'image' as const, url },
      { type: 'image' as const, ...image },
    ]
    const refused = await client.refused('conversation/sendMessage', { conversationId, input })
    expect(refused).toMatchObject({ code: 'invalidParams', detail: { field: 'input[1]' } })
    expect(refused.message).toMatch(words)
    expect(watched.cursor.seq).toBe(0)
    expect(existsSync(place.path(conversationId, 'sideFiles'))).toBe(false)
  })

  it('is one message when it is sent twice under one id', async () => {
    await using place = testPlace()
    const path = `${place.cwd}/a.png`
    writeFileSync(path, png)
    const { client, watched } = await place.talk({})
    const { conversationId } = watched
    const message = { conversationId, messageId: 'm-1', input: [{ type: 'image' as const, path }] }
    const send = () => client.request('conversation/sendMessage', message)
    const [first, second] = await Promise.all([send(), send()])
    expect(second).toEqual({ ...first, seq: expect.any(Number) })
    await watched.turnEnded()
    expect(watched.items().filter(({ type }) => type === 'userMessage')).toHaveLength(1)
  })
})

describe('requests that follow a message with an image', () => {
  const text = (value: string) => [{ type: 'text' as const, text: value }]

  async function withImage() {
    const place = testPlace()
    const path = `${place.cwd}/a.png`
    writeFileSync(path, png)
    const talk = await place.talk({ model: scriptedModel({ text: 'a', hang: true }) })
    const { conversationId } = talk.watched
    return { place, ...talk, conversationId, image: [{ type: 'image' as const, path }] }
  }

  it('are handled after it: a message, its removal and an interrupt', async () => {
    const { place, client, watched, conversationId, image } = await withImage()
    await using _ = place
    const sent = await Promise.all([
      client.request('conversation/sendMessage', { conversationId, input: image }),
      client.request('conversation/sendMessage', {
        conversationId,
        input: [...text('two'), ...image],
        when: 'queue',
        messageId: 'm-two',
      }),
      client.request('conversation/sendMessage', { conversationId, input: text('three'), when: 'queue' }),
      client.request('conversation/inbox/remove', { conversationId, messageId: 'm-two' }),
      client.request('conversation/interrupt', { conversationId }),
    ])
    expect(sent).toMatchObject([
      { disposition: 'started' },
      { disposition: 'queued' },
      { disposition: 'queued' },
      {},
      { interrupted: true },
    ])
    await watched.turnEnded()
    expect(watched.state.core.lastTurn).toMatchObject({ outcome: 'interrupted' })
    expect(watched.items()[0]).toMatchObject({ text: '[a.png]' })
    expect(watched.state.core.inbox).toMatchObject([{ content: text('three') }])
  })

  it('are handled when the message is rejected', async () => {
    const { place, client, watched, conversationId } = await withImage()
    await using _ = place
    const missing = [{ type: 'image' as const, path: `${place.cwd}/none.png` }]
    const refused = client.refused('conversation/sendMessage', { conversationId, input: missing })
    const next = client.request('conversation/sendMessage', { conversationId, input: text('two') })
    expect(await refused).toMatchObject({ code: 'invalidParams' })
    expect(await next).toMatchObject({ disposition: 'started' })
    expect(watched.items()).toMatchObject([{ text: 'two' }])
  })

  it('do not wait when they come from another client', async () => {
    const { place, client, server, conversationId, image } = await withImage()
    await using _ = place
    const other = await server.connect('other')
    const order: string[] = []
    const note = (name: string) => () => void order.push(name)
    const first = client.request('conversation/sendMessage', { conversationId, input: image, when: 'queue' })
    const second = other.request('conversation/configure', { conversationId, settings: { model: 'm2' } })
    await Promise.all([first.then(note('image')), second.then(note('setting'))])
    expect(order).toEqual(['setting', 'image'])
  })
})

describe('an output schema', () => {
  it('of a queued message applies to the turn that the message starts', async () => {
    await using place = testPlace()
    const gate = Promise.withResolvers<void>()
    const model = scriptedModel({ text: 'free', gate: gate.promise }, { text: '{"b":1}' }, { text: 'free' })
    const { watched } = await place.talk({ model })
    await watched.send('one')
    await watched.send('two', { when: 'queue', outputSchema: schema })
    gate.resolve()
    await watched.until(({ core }) => (core.counts.turns === 2 && core.turn === null ? true : null))
    expect(watched.state.core.lastTurn).toMatchObject({
      outcome: 'completed',
      answerProblem: "the whole must have required property 'a'",
    })
    await watched.send('three')
    await watched.turnEnded()
    expect(model.requests.map(({ outputSchema }) => outputSchema)).toEqual([undefined, schema, undefined])
    expect(watched.state.core.lastTurn).not.toHaveProperty('answerProblem')
  })

  it.each([
    ['with a message that steers', { when: 'steer' as const, outputSchema: schema }],
    ['that is none', { outputSchema: { type: 'nothing' } }],
    ['that is too long', { outputSchema: { description: 'x'.repeat(300_000) } }],
  ])('%s is rejected', async (_name, more) => {
    await using place = testPlace()
    const { client, watched } = await place.talk({})
    const { conversationId } = watched
    const input = [{ type: 'text' as const, text: 'go' }]
    const refused = await client.refused('conversation/sendMessage', { conversationId, input, ...more })
    expect(refused).toMatchObject({ code: 'invalidParams', detail: { field: 'outputSchema' } })
  })

  it('of a newer dialect is accepted', async () => {
    await using place = testPlace()
    const { watched } = await place.talk({ model: scriptedModel({ text: '{"a":1}' }) })
    const outputSchema = { $schema: 'https://json-schema.org/draft/2020-12/schema', ...schema }
    await watched.send('go', { outputSchema })
    await watched.turnEnded()
    expect(watched.state.core.lastTurn).toMatchObject({ outcome: 'completed' })
    expect(watched.state.core.lastTurn).not.toHaveProperty('answerProblem')
  })
})
