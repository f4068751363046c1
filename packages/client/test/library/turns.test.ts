import { smallPng } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import type { ConversationEvent, Envelope, Turn } from '../../src/index.ts'
import { libraryWorld } from './library-world.ts'

async function eventsOf(turn: Turn): Promise<ConversationEvent[]> {
  const events: ConversationEvent[] = []
  for await (const event of turn) events.push(event)
  return events
}

const typeOf = (event: ConversationEvent | Envelope) => ('event' in event ? event.event.type : event.type)
const typesOf = (events: readonly ConversationEvent[]) => events.map(({ type }) => type)

describe('a turn', () => {
  test('gives its events in order, and its result', async () => {
    await using world = await libraryWorld({ text: 'Hello there.', chunks: 3, usage: { input: 7, output: 3 } })
    await using parley = await world.connect()
    const conversation = await parley.create({ cwd: world.cwd })
    const turn = await conversation.send('hello')
    const types = typesOf(await eventsOf(turn))
    expect([types.at(0), types.at(-1)]).toEqual(['turn.started', 'turn.ended'])
    expect(types).toContain('item.delta')
    expect(await turn.result).toMatchObject({
      turnId: turn.id,
      outcome: 'completed',
      text: 'Hello there.',
      usage: { inputTokens: 7, outputTokens: 3 },
    })
    expect(conversation.state.window.map(({ item }) => item.type)).toEqual(['userMessage', 'agentMessage'])
  })

  test('has the pictures that the model made, which are read whole', async () => {
    const item = { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: smallPng.toString('base64') }
    const response = { status: 'completed', output: [item], usage: {} }
    const events = [
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response },
    ]
    await using world = await libraryWorld({
      raw: events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''),
    })
    await using parley = await world.connect()
    const conversation = await parley.create({ cwd: world.cwd })
    const { text, pictures } = await (await conversation.send('draw')).result
    expect(text).toContain('(Picture: image/png, 2 × 3 pixels')
    expect(pictures).toEqual([{ file: expect.any(String), mediaType: 'image/png', name: 'picture.png' }])
    for (const { file } of pictures) expect(await conversation.readFile(file)).toEqual(smallPng)
    await expect(conversation.readFile(`sha256:${'0'.repeat(64)}`)).rejects.toThrow('has no file')
  })

  test("is counted by what the provider's list says of the model", async () => {
    const usage = { input: 1_000, output: 100 }
    await using world = await libraryWorld({ text: 'One.', usage }, { text: 'Two.', usage })
    const pricing = { prompt: '0.000001', completion: '0.00001' }
    world.model.list([{ id: 'm1', context_length: 65_536, pricing }])
    await using parley = await world.connect()
    const conversation = await parley.create({ cwd: world.cwd })
    await (await conversation.send('one')).result
    expect(conversation.state.core.usage).toMatchObject({ contextWindow: null, total: { costUsd: 0 } })
    await parley.request('model/list', {})
    const second = await (await conversation.send('two')).result
    expect(second.usage).toMatchObject({ costUsd: 0.002 })
    expect(conversation.state.core.usage).toMatchObject({ contextWindow: 65_536, total: { costUsd: 0.002 } })
  })

  test('can be iterated again, also when it is over and another one ran', async () => {
    await using world = await libraryWorld({ text: 'One.' }, { text: 'Two.' })
    await using parley = await world.connect()
    const conversation = await parley.create({ cwd: world.cwd })
    const first = await conversation.send('one')
    const seen = await eventsOf(first)
    const second = await conversation.send('two')
    await second.result
    expect(await eventsOf(first)).toEqual(seen)
    expect((await first.result).text).toBe('One.')
    expect((await second.result).text).toBe('Two.')
  })

  test('that fails is a result that says why', async () => {
    await using world = await libraryWorld({ status: 400, body: { error: { message: 'no such thing' } } })
    await using parley = await world.connect()
    const { result } = await (await parley.create({ cwd: world.cwd })).send('hello')
    expect(await result).toMatchObject({ outcome: 'failed', text: '', failure: { status: 400 } })
  })

  test('of a message that was sent before is the same one, and nothing is sent twice', async () => {
    await using world = await libraryWorld({ text: 'Once.' })
    await using parley = await world.connect()
    const conversation = await parley.create({ cwd: world.cwd })
    const messageId = crypto.randomUUID()
    const turn = await conversation.send('hello', { messageId })
    await turn.result
    const again = await conversation.send('hello', { messageId })
    expect(await again.result).toEqual(await turn.result)
    expect(await eventsOf(again)).toEqual(await eventsOf(turn))
    expect(world.model.requests).toHaveLength(1)
  })

  test('that runs when a conversation is looked at is there to be followed, with what is open in it', async () => {
    const gate = Promise.withResolvers<void>()
    await using world = await libraryWorld({
      text: 'At last.',
      chunks: ['At ', 'last.'],
      beforeFrame: (index) => (index > 4 ? gate.promise : Promise.resolve()),
    })
    await using parley = await world.connect()
    const conversation = await parley.create({ cwd: world.cwd })
    expect(conversation.turn).toBeNull()
    const sent = await conversation.send('hello')
    for await (const event of sent) if (event.type === 'item.delta') break
    const running = conversation.turn
    gate.resolve()
    expect(await running?.result).toEqual(await sent.result)
    expect(running?.id).toBe(sent.id)
    const types = running === null ? [] : typesOf(await eventsOf(running))
    expect(types.at(0)).toBe('item.delta')
    expect(types).not.toContain('turn.started')
  })
})

describe('a message that waits', () => {
  test('gives the turn it is answered in, not the one that runs', async () => {
    const gate = Promise.withResolvers<void>()
    await using world = await libraryWorld({ text: 'First.', gate: gate.promise }, { text: 'Second.' })
    await using parley = await world.connect()
    const conversation = await parley.create({ cwd: world.cwd })
    const first = await conversation.send('one')
    const second = await conversation.send('two', { when: 'queue' })
    expect(second.id).toBeNull()
    gate.resolve()
    const types = typesOf(await eventsOf(second))
    expect([types.at(0), types.at(-1)]).toEqual(['turn.started', 'turn.ended'])
    expect((await first.result).text).toBe('First.')
    expect((await second.result).text).toBe('Second.')
    expect(second.id).not.toBe(first.id)
  })

  test('steers the turn that runs, and then that is its turn', async () => {
    const gate = Promise.withResolvers<void>()
    await using world = await libraryWorld(
      { calls: [{ name: 'list_dir', arguments: { path: '.' } }], gate: gate.promise },
      { text: 'Both.' },
    )
    await using parley = await world.connect()
    const conversation = await parley.create({ cwd: world.cwd })
    const first = await conversation.send('one')
    await world.model.nextRequest()
    const second = await conversation.send('and this', { when: 'steer' })
    gate.resolve()
    expect(await second.result).toEqual(await first.result)
    expect(second.id).toBe(first.id)
  })

  test('and is taken back ends in an error that says so', async () => {
    await using world = await libraryWorld({ hang: 'headers' })
    await using parley = await world.connect()
    const conversation = await parley.create({ cwd: world.cwd })
    await conversation.send('one')
    const messageId = crypto.randomUUID()
    const second = await conversation.send('two', { when: 'queue', messageId })
    await parley.request('conversation/inbox/remove', { conversationId: conversation.id, messageId })
    await expect(second.result).rejects.toMatchObject({ data: { code: 'messageRemoved' } })
    await expect(eventsOf(second)).rejects.toMatchObject({ data: { code: 'messageRemoved' } })
  })
})

describe('an abort signal', () => {
  test('interrupts the turn, which ends by its event', async () => {
    await using world = await libraryWorld({ text: 'never told', hang: 'headers' })
    await using parley = await world.connect()
    const conversation = await parley.create({ cwd: world.cwd })
    const stop = new AbortController()
    const turn = await conversation.send('hello', { signal: stop.signal })
    await world.model.nextRequest()
    stop.abort()
    expect(await turn.result).toMatchObject({ outcome: 'interrupted' })
    expect(typesOf(await eventsOf(turn)).at(-1)).toBe('turn.ended')
  })

  test('takes back a message that still waits', async () => {
    await using world = await libraryWorld({ hang: 'headers' })
    await using parley = await world.connect()
    const conversation = await parley.create({ cwd: world.cwd })
    await conversation.send('one')
    const stop = new AbortController()
    const turn = await conversation.send('two', { when: 'queue', signal: stop.signal })
    stop.abort()
    await expect(turn.result).rejects.toMatchObject({ data: { code: 'messageRemoved' } })
    expect(conversation.state.core.inbox).toEqual([])
  })

  test('that has fired before anything is sent sends nothing', async () => {
    await using world = await libraryWorld()
    await using parley = await world.connect()
    const conversation = await parley.create({ cwd: world.cwd })
    await expect(conversation.send('hello', { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow(
      'enough',
    )
    expect(conversation.state.core.seq).toBe(0)
  })

  test('ends an iteration over all events with its reason', async () => {
    await using world = await libraryWorld()
    await using parley = await world.connect()
    const conversation = await parley.create({ cwd: world.cwd })
    const stop = new AbortController()
    const next = conversation.events({ signal: stop.signal }).next()
    stop.abort(new Error('enough'))
    await expect(next).rejects.toThrow('enough')
  })
})

test('an iteration can be left while it waits for the next event', async () => {
  await using world = await libraryWorld({ hang: 'headers' })
  await using parley = await world.connect()
  const conversation = await parley.create({ cwd: world.cwd })
  const turn = await conversation.send('hello')
  await world.model.nextRequest()
  const done = { value: undefined, done: true }
  for (const events of [conversation.events({ after: { seq: 0, crc: null } }), turn[Symbol.asyncIterator]()]) {
    let next = await events.next()
    while (next.value !== undefined && typeOf(next.value) !== 'model.requested') next = await events.next()
    const waiting = events.next()
    expect([await events.return?.(), await waiting]).toEqual([done, done])
  }
  expect(conversation.state.core.turn).not.toBeNull()
})

test('a conversation that was closed sends nothing more, and asks nobody', async () => {
  await using world = await libraryWorld()
  await using parley = await world.connect()
  const conversation = await parley.create({ cwd: world.cwd })
  await conversation.close()
  const closed = { data: { code: 'closed' } }
  await expect(conversation.send('hello')).rejects.toMatchObject(closed)
  expect(() => conversation.onApproval(() => 'approved')).toThrow(expect.objectContaining(closed))
})
