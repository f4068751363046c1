import { appendFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { expect, test } from 'vitest'
import { type TestPlace, testPlace } from '../../engine/support/test-server.ts'
import { type Hand, takeHand, type Wire } from './support/hand.ts'

async function create(hand: Hand, place: TestPlace, more: object = {}): Promise<string> {
  const result = await hand.call('conversationCreate', { cwd: place.cwd, ...more }).answer
  expect(JSON.parse(result.content[0].text)).toEqual(result.structuredContent)
  return result.structuredContent.conversation_id
}

const say = (hand: Hand, conversationId: string, text: string, more: object = {}) =>
  hand.call('conversationSendMessage', { conversation_id: conversationId, content: [{ type: 'text', text }], ...more })

const states = (hand: Hand): Wire[] => hand.notified('notifications/initial_state').map(({ params }) => params)

async function stream(hand: Hand, conversationId: string) {
  const seen = states(hand).length
  const { id, answer } = hand.call('conversationStream', { conversation_id: conversationId })
  expect(await answer).toMatchObject({ structuredContent: {}, isError: false })
  await hand.until('the initial state', () => states(hand).length > seen)
  return { id, state: states(hand)[seen] }
}

const ended = (hand: Hand, count = 1) =>
  hand.until(`the end of turn ${count}`, () => hand.notified('task_complete').length >= count)

const turn = (message: string) => [
  { msg: { type: 'task_started' } },
  { msg: { type: 'agent_message', message } },
  { msg: { type: 'task_complete', last_agent_message: message } },
]

/** Events of conversations, in the order received. */
const live = (hand: Hand) =>
  hand.received
    .filter(({ method, id }) => id === undefined && /^(task|agent|turn|exec|error)/.test(method ?? ''))
    .filter(({ method }) => !method.endsWith('_delta'))
    .map(({ method, params }) => [method, params])

test('connect, then send: an empty state, then the live events of the turn', async () => {
  await using place = testPlace()
  await using hand = await takeHand(place.start({ model: scriptedModel({ text: ['Do', 'ne'] }) }))
  const id = await create(hand, place)
  const { state } = await stream(hand, id)
  expect(state).toEqual({ _meta: { conversationId: id }, initial_state: { events: [] } })
  expect((await say(hand, id, 'Hello').answer).structuredContent).toEqual({ status: 'ok' })
  await ended(hand)
  expect(live(hand)).toEqual(turn('Done').map(({ msg }) => [msg.type, { msg }]))
  const deltas = hand.notified('agent_message_delta').map(({ params }) => params.msg.delta)
  expect(deltas.join('')).toBe('Done')
})

test('the answer to a stream call leaves before its initial state', async () => {
  await using place = testPlace()
  await using hand = await takeHand(place.start())
  const { id } = await stream(hand, await create(hand, place))
  const order = hand.received.filter((m) => m.id === id || m.method === 'notifications/initial_state')
  expect(order.map((m) => m.method ?? 'answer')).toEqual(['answer', 'notifications/initial_state'])
})

test('cancel the stream, send again, reconnect: the state holds both turns, in order, with exactly their fields', async () => {
  await using place = testPlace()
  await using hand = await takeHand(place.start({ model: scriptedModel({ text: 'Done 1' }, { text: 'Done 2' }) }))
  const id = await create(hand, place)
  const first = await stream(hand, id)
  await say(hand, id, 'M1').answer
  await ended(hand)
  hand.notify('notifications/cancelled', { requestId: first.id })
  await say(hand, id, 'M2').answer
  const reply = await hand.call('codex-reply', { prompt: 'M3', threadId: id }).answer
  expect(reply.isError).toBeUndefined()
  expect(live(hand)).toHaveLength(3)
  const second = await stream(hand, id)
  expect(second.state.initial_state.events.slice(0, 6)).toEqual([...turn('Done 1'), ...turn('Done 2')])
})

test('send, then connect, at any moment: each event once, none live before the state', async () => {
  await using place = testPlace()
  const gates = Array.from({ length: 8 }, () => Promise.withResolvers<void>())
  const model = scriptedModel(...gates.map(({ promise }, n) => ({ text: ['a', 'b', `${n}`], gate: promise })))
  await using hand = await takeHand(place.start({ model }))
  for (const [n, gate] of gates.entries()) {
    const id = await create(hand, place, { prompt: `${n}` })
    const from = hand.received.length
    const call = hand.call('conversationStream', { conversation_id: id })
    if (n % 2 === 0) gate.resolve()
    await call.answer
    gate.resolve()
    const mine = () => hand.received.slice(from)
    const known = () =>
      mine().find(({ method }) => method === 'notifications/initial_state')?.params.initial_state.events
    const later = () =>
      mine().filter(({ method }) => ['task_started', 'agent_message', 'task_complete'].includes(method))
    await hand.until('the end', () => JSON.stringify([known() ?? [], later()]).includes('task_complete'))
    expect([...known(), ...later().map(({ params }) => ({ msg: params.msg }))]).toEqual(turn(`ab${n}`))
    const at = mine().findIndex(({ method }) => method === 'notifications/initial_state')
    expect(mine().findIndex(({ method }) => /^(task|agent)_/.test(method ?? '')) > at || later().length === 0).toBe(
      true,
    )
    hand.notify('notifications/cancelled', { requestId: call.id })
  }
})

test('a message during a running turn is queued, and its turn follows', async () => {
  await using place = testPlace()
  const gate = Promise.withResolvers<void>()
  const model = scriptedModel({ text: 'one', gate: gate.promise }, { text: 'two' })
  await using hand = await takeHand(place.start({ model }))
  const id = await create(hand, place)
  await stream(hand, id)
  await say(hand, id, '1').answer
  await hand.until('the turn', ({ method }) => method === 'task_started')
  expect((await say(hand, id, '2').answer).structuredContent).toEqual({ status: 'ok' })
  gate.resolve()
  await ended(hand, 2)
  expect(live(hand).map(([, { msg }]) => ({ msg }))).toEqual([...turn('one'), ...turn('two')])
})

test('cancel of a send interrupts that turn; cancel of create or list does nothing', async () => {
  await using place = testPlace()
  const model = scriptedModel({ text: 'x', hang: true }, { text: 'two' })
  await using hand = await takeHand(place.start({ model }))
  const created = hand.call('conversationCreate', { cwd: place.cwd })
  const id = (await created.answer).structuredContent.conversation_id
  await stream(hand, id)
  const listed = hand.call('conversationsList', {})
  await listed.answer
  const sent = say(hand, id, '1')
  await sent.answer
  await hand.until('the model', ({ method }) => method === 'agent_message_delta')
  for (const requestId of [created.id, listed.id, 999]) hand.notify('notifications/cancelled', { requestId })
  await hand.request('ping')
  expect(hand.notified('turn_aborted')).toEqual([])
  hand.notify('notifications/cancelled', { requestId: sent.id })
  const aborted = await hand.until('the end', ({ method }) => method === 'turn_aborted')
  expect(aborted.params).toEqual({ msg: { type: 'turn_aborted', reason: 'interrupted' } })
  await say(hand, id, '2').answer
  await ended(hand)
})

const touch = { name: 'shell', args: { command: 'touch made.txt' } }
const asking = { approval_policy: 'untrusted' }
const isMade = (place: TestPlace) => existsSync(join(place.cwd, 'made.txt'))

test('an approval without a stream is held, asked on connect, and stays when the stream is cancelled', async () => {
  await using place = testPlace()
  const server = place.start({ model: scriptedModel({ calls: [touch] }, { text: 'made' }) })
  await using hand = await takeHand(server)
  const id = await create(hand, place, asking)
  await say(hand, id, 'touch').answer
  const terminal = await server.connect('witness')
  const watched = await terminal.watch(id)
  await watched.approval()
  await hand.request('ping')
  expect(hand.received.some(({ method }) => method === 'elicitation/create')).toBe(false)
  const first = await stream(hand, id)
  const question = await hand.asked()
  expect(question.params.codex_command).toEqual(['/bin/sh', '-c', 'touch made.txt'])
  hand.notify('notifications/cancelled', { requestId: first.id })
  const second = await stream(hand, id)
  expect(second.state.initial_state.events.at(-1).msg.type).toBe('exec_approval_request')
  expect(hand.received.filter(({ method }) => method === 'elicitation/create')).toHaveLength(1)
  hand.send({ jsonrpc: '2.0', id: question.id, result: { decision: 'approved' } })
  await ended(hand)
  expect(isMade(place)).toBe(true)
})

test('an approval is asked of the streaming client at once; without elicitation it is denied', async () => {
  await using place = testPlace()
  const model = scriptedModel({ calls: [touch] }, { text: 'one' }, { calls: [touch] }, { text: 'two' })
  const server = place.start({ model })
  await using mute = await takeHand(server, { capabilities: {}, name: 'mute' })
  const id = await create(mute, place, asking)
  await stream(mute, id)
  await say(mute, id, 'touch').answer
  await ended(mute)
  expect(isMade(place)).toBe(false)
  await using hand = await takeHand(server)
  await stream(hand, id)
  await say(hand, id, 'touch').answer
  hand.send({ jsonrpc: '2.0', id: (await hand.asked()).id, result: { action: 'accept' } })
  await ended(hand)
  expect(isMade(place)).toBe(true)
})

test('a held approval survives into the next process', async () => {
  await using place = testPlace()
  const earlier = place.start({ model: scriptedModel({ calls: [touch] }) })
  const before = await takeHand(earlier)
  const id = await create(before, place, asking)
  await stream(before, id)
  await say(before, id, 'touch').answer
  await before.asked()
  await before.leave()
  await earlier.close()
  expect(place.logLines(id).join('\n')).toContain('turn.parked')
  await using hand = await takeHand(place.start({ model: scriptedModel({ text: 'made' }) }))
  await stream(hand, id)
  hand.send({ jsonrpc: '2.0', id: (await hand.asked()).id, result: { decision: 'approved' } })
  await ended(hand)
  expect(isMade(place)).toBe(true)
})

test('a reply to a parked conversation asks its approval, then sends its message', async () => {
  await using place = testPlace()
  const earlier = place.start({ model: scriptedModel({ calls: [touch] }) })
  const before = await takeHand(earlier)
  const id = await create(before, place, asking)
  await stream(before, id)
  await say(before, id, 'touch').answer
  await before.asked()
  await before.leave()
  await earlier.close()
  await using hand = await takeHand(place.start({ model: scriptedModel({ text: 'made' }, { text: 'and more' }) }))
  const { answer } = hand.call('codex-reply', { prompt: 'more', threadId: id })
  hand.send({ jsonrpc: '2.0', id: (await hand.asked()).id, result: { decision: 'approved' } })
  expect((await answer).content).toEqual([{ type: 'text', text: 'and more' }])
  expect(isMade(place)).toBe(true)
})

test('a reply to a conversation that waits at a limit raises it for nobody, and says so', async () => {
  await using place = testPlace()
  appendFileSync(join(place.root, '.parley', 'config.toml'), '[limits]\nmax_turns = 1\n')
  const earlier = place.start({ model: scriptedModel({ calls: [{ name: 'list_dir', args: {} }] }) })
  const terminal = await earlier.connect('terminal', { capabilities: ['limits'] })
  const { conversationId } = await terminal.request('conversation/create', { cwd: place.cwd })
  const watched = await terminal.watch(conversationId)
  await watched.send('look')
  await watched.until(({ core }) => core.turn?.limit !== undefined)
  await earlier.close()
  const model = scriptedModel()
  await using hand = await takeHand(place.start({ model }))
  const { content, isError } = await hand.call('codex-reply', { prompt: 'more', threadId: conversationId }).answer
  expect({ isError, text: content[0].text }).toMatchObject({
    text: expect.stringContaining('Limit reached: 1 model call'),
  })
  expect(model.requests).toHaveLength(0)
})

test.each(['before', 'after'])(
  'a reply behind a held approval has it asked, when it came %s the approval',
  async (when) => {
    await using place = testPlace()
    const gate = Promise.withResolvers<void>()
    const model = scriptedModel(
      { text: 'x', calls: [touch], gate: gate.promise },
      { text: 'made' },
      { text: 'and more' },
    )
    const server = place.start({ model })
    await using hand = await takeHand(server)
    const id = await create(hand, place, asking)
    await say(hand, id, 'touch').answer
    const watched = await (await server.connect('witness')).watch(id)
    const reply = () => hand.call('codex-reply', { prompt: 'more', threadId: id }).answer
    const early = when === 'before' ? reply() : null
    if (early !== null) await watched.until((state) => state.core.inbox.length > 0)
    gate.resolve()
    await watched.approval()
    const answer = early ?? reply()
    hand.send({ jsonrpc: '2.0', id: (await hand.asked()).id, result: { decision: 'approved' } })
    expect((await answer).content).toEqual([{ type: 'text', text: 'and more' }])
    expect(isMade(place)).toBe(true)
  },
)

test('a second client may stream too: both get everything', async () => {
  await using place = testPlace()
  const server = place.start({ model: scriptedModel({ text: 'Done' }) })
  await using one = await takeHand(server, { name: 'one' })
  await using two = await takeHand(server, { name: 'two' })
  const id = await create(one, place)
  await stream(one, id)
  await stream(two, id)
  await say(one, id, 'Hello').answer
  await Promise.all([ended(one), ended(two)])
  expect(live(two)).toEqual(live(one))
  expect(live(two)).toEqual(turn('Done').map(({ msg }) => [msg.type, { msg }]))
})

test('each event names its conversation when a client streams two', async () => {
  await using place = testPlace()
  await using hand = await takeHand(place.start())
  const [a, b] = [await create(hand, place), await create(hand, place)]
  await stream(hand, a)
  await stream(hand, b)
  await say(hand, a, 'x').answer
  await say(hand, b, 'x').answer
  await ended(hand, 2)
  const ids = hand.notified('task_complete').map(({ params }) => params._meta.conversationId)
  expect(new Set(ids)).toEqual(new Set([a, b]))
})

test('a message with an id is sent once', async () => {
  await using place = testPlace()
  const model = scriptedModel({ text: 'one' })
  await using hand = await takeHand(place.start({ model }))
  const id = await create(hand, place)
  await stream(hand, id)
  const message_id = '6b1b2a1e-6a5b-4b0b-9d6e-2f6f5f9f0001'
  await say(hand, id, 'x', { message_id }).answer
  await ended(hand)
  expect((await say(hand, id, 'x', { message_id }).answer).structuredContent).toEqual({ status: 'ok' })
  expect(model.requests).toHaveLength(1)
})

test('overrides of a message apply from it on, before the first one too', async () => {
  await using place = testPlace()
  const model = scriptedModel()
  await using hand = await takeHand(place.start({ model }))
  const id = await create(hand, place)
  await stream(hand, id)
  await say(hand, id, 'x', { model: 'm2' }).answer
  await ended(hand)
  await say(hand, id, 'y', { model: 'm3', sandbox: 'read-only' }).answer
  await ended(hand, 2)
  expect(model.requests.map((request) => request.model)).toEqual(['m2', 'm3'])
  const refused = await say(hand, id, 'z', { base_instructions: 'no' }).answer
  expect(refused.structuredContent).toEqual({
    status: 'error',
    message: 'base_instructions can only be given to conversationCreate.',
  })
})

test('overrides of a message make a conversation stricter and never looser', async () => {
  await using place = testPlace()
  await using hand = await takeHand(place.start({ model: scriptedModel() }))
  const id = await create(hand, place, { sandbox: 'read-only' })
  await stream(hand, id)
  const loosened = async (more: object) => (await say(hand, id, 'x', more).answer).structuredContent
  const refusal = {
    status: 'error',
    message: expect.stringMatching(/may only make the limits of a conversation stricter/),
  }
  expect(await loosened({ sandbox: 'workspace-write' })).toEqual(refusal)
  await say(hand, id, 'x', { approval_policy: 'untrusted' }).answer
  await ended(hand)
  for (const more of [
    { approval_policy: 'on-request' },
    { sandbox: 'workspace-write' },
    { config: { sandbox_mode: 'workspace-write' } },
  ])
    expect(await loosened(more)).toEqual(refusal)
})

test('conversations are listed in pages', async () => {
  await using place = testPlace()
  await using hand = await takeHand(place.start())
  for (const prompt of ['one', 'two', 'three']) await hand.call('codex', { prompt, cwd: place.cwd }).answer
  const first = (await hand.call('conversationsList', { limit: 2 }).answer).structuredContent
  expect(first.conversations).toHaveLength(2)
  const cursor = first.next_cursor
  const last = (await hand.call('conversationsList', { limit: 2, cursor }).answer).structuredContent
  expect([...first.conversations, ...last.conversations].map(({ title }) => title).sort()).toEqual([
    'one',
    'three',
    'two',
  ])
  expect(last).not.toHaveProperty('next_cursor')
})
