import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { smallPng } from '@parley/testkit'
import { afterAll, expect, test } from 'vitest'
import { fullAccess, testPlace } from '../../engine/support/test-server.ts'
import { takeHand } from './support/hand.ts'

const noDeltas = (types: string[]) => types.filter((type) => !type.endsWith('_delta'))

test('a call gets the events of its turn and the last message as its result', async () => {
  await using place = testPlace()
  const server = place.start({ model: scriptedModel({ text: ['hel', 'lo'] }) })
  await using hand = await takeHand(server)
  const { id, answer } = hand.call('codex', { prompt: 'say hello', cwd: place.cwd })
  const result = await answer
  const { conversationId } = result.structuredContent
  expect(result).toEqual({
    content: [{ type: 'text', text: 'hello' }],
    structuredContent: { conversationId, threadId: conversationId, content: 'hello' },
  })
  expect(noDeltas(hand.types(id))).toEqual([
    'session_configured',
    'task_started',
    'item_started',
    'item_completed',
    'user_message',
    'item_started',
    'item_completed',
    'agent_message',
    'token_count',
    'task_complete',
  ])
  expect(hand.events(id)[0]).toEqual({
    type: 'session_configured',
    session_id: conversationId,
    model: 'm1',
    history_log_id: 0,
    history_entry_count: 0,
    rollout_path: place.path(conversationId),
  })
  expect(hand.received.at(-1)).toMatchObject({ id, result: {} })
})

test('a call whose answer has a picture gets it as an image behind the text', async () => {
  await using place = testPlace()
  const data = smallPng.toString('base64')
  const server = place.start({ model: scriptedModel({ picture: data, text: 'Here.' }, { picture: data }) })
  await using hand = await takeHand(server)
  const first = await hand.call('codex', { prompt: 'draw', cwd: place.cwd }).answer
  const image = { type: 'image', data, mimeType: 'image/png' }
  expect(first.content).toEqual([{ type: 'text', text: 'Here.' }, image])
  const { threadId } = first.structuredContent
  const { content } = await hand.call('codex-reply', { prompt: 'again', threadId }).answer
  expect(content).toEqual([{ type: 'text', text: expect.stringContaining('(Picture: image/png') }, image])
})

test('every event names its request and its thread, and those of a turn have its id', async () => {
  await using place = testPlace()
  await using hand = await takeHand(place.start())
  const { id, answer } = hand.call('parley', { prompt: 'hello', cwd: place.cwd })
  const { threadId } = (await answer).structuredContent
  const events = hand.notified('codex/event').map(({ params }) => params)
  expect(events.map(({ _meta }) => _meta)).toEqual(events.map(() => ({ requestId: id, threadId })))
  const [first, ...others] = events.map((event) => event.id)
  expect(first).toBe('')
  expect(new Set(others).size).toBe(1)
})

test('a reply goes on under each of the three ids, without another session_configured', async () => {
  await using place = testPlace()
  const server = place.start({
    model: scriptedModel({ text: 'one' }, { text: 'two' }, { text: 'three' }, { text: 'four' }),
  })
  await using hand = await takeHand(server)
  const { conversationId } = (await hand.call('codex', { prompt: '1', cwd: place.cwd }).answer).structuredContent
  for (const [key, content] of [
    ['conversationId', 'two'],
    ['threadId', 'three'],
    ['sessionId', 'four'],
  ] as const) {
    const { id, answer } = hand.call('codex-reply', { prompt: key, [key]: conversationId })
    expect((await answer).structuredContent).toEqual({ conversationId, threadId: conversationId, content })
    expect(hand.types(id)[0]).toBe('task_started')
  }
})

test('a conversation of an earlier process is loaded, and session_configured has its messages', async () => {
  await using place = testPlace()
  const earlier = place.start({ model: scriptedModel({ text: 'first' }) })
  const before = await takeHand(earlier)
  const { conversationId } = (await before.call('codex', { prompt: 'hello', cwd: place.cwd }).answer).structuredContent
  await before.leave()
  await earlier.close()
  const server = place.start({ model: scriptedModel({ text: 'second' }) })
  await using hand = await takeHand(server)
  const { id, answer } = hand.call('codex-reply', { prompt: 'again', threadId: conversationId })
  expect((await answer).structuredContent.content).toBe('second')
  expect(hand.events(id)[0]).toMatchObject({
    type: 'session_configured',
    session_id: conversationId,
    initial_messages: [
      { type: 'user_message', message: 'hello', kind: 'plain' },
      { type: 'agent_message', message: 'first' },
    ],
  })
})

test('a reply during a running call is queued and gets its own events and result', async () => {
  await using place = testPlace()
  const gate = Promise.withResolvers<void>()
  const model = scriptedModel({ text: 'one' }, { text: 'two', gate: gate.promise }, { text: 'three' })
  await using hand = await takeHand(place.start({ model }))
  const { conversationId } = (await hand.call('codex', { prompt: '1', cwd: place.cwd }).answer).structuredContent
  const second = hand.call('codex-reply', { prompt: '2', conversationId })
  await hand.until('the second turn', ({ params }) => params?._meta?.requestId === second.id)
  const third = hand.call('codex-reply', { prompt: '3', conversationId })
  gate.resolve()
  expect((await second.answer).structuredContent.content).toBe('two')
  expect((await third.answer).structuredContent.content).toBe('three')
  const told = (id: number) => hand.events(id).filter(({ type }) => type === 'user_message' || type === 'agent_message')
  expect(told(second.id).map(({ message }) => message)).toEqual(['2', 'two'])
  expect(told(third.id).map(({ message }) => message)).toEqual(['3', 'three'])
})

test('a cancelled call interrupts its turn, gets no answer, and the reply behind it still gets its own', async () => {
  await using place = testPlace()
  const model = scriptedModel({ hang: true, text: 'never' }, { text: 'after' })
  const server = place.start({ model })
  await using hand = await takeHand(server)
  const first = hand.call('codex', { prompt: 'wait', cwd: place.cwd })
  first.answer.catch(() => undefined)
  const spoken = await hand.until('the model', ({ params }) => params?.msg?.type === 'agent_message_delta')
  const { threadId } = spoken.params._meta
  const watched = await (await server.connect('witness')).watch(threadId)
  const second = hand.call('codex-reply', { prompt: 'next', threadId })
  await watched.until(({ core }) => core.inbox.length === 1)
  hand.notify('notifications/cancelled', { requestId: first.id })
  expect((await second.answer).structuredContent.content).toBe('after')
  expect(hand.types(first.id).at(-1)).toBe('turn_aborted')
  expect(hand.received.filter(({ id, method }) => id === first.id && method === undefined)).toEqual([])
})

test('a call that is cancelled while it waits is removed from the inbox', async () => {
  await using place = testPlace()
  const gate = Promise.withResolvers<void>()
  const model = scriptedModel({ text: 'one', gate: gate.promise }, { text: 'three' })
  const server = place.start({ model })
  await using hand = await takeHand(server)
  const first = hand.call('codex', { prompt: '1', cwd: place.cwd })
  const started = await hand.until('the turn', ({ params }) => params?.msg?.type === 'task_started')
  const { threadId } = started.params._meta
  const watched = await (await server.connect('witness')).watch(threadId)
  const second = hand.call('codex-reply', { prompt: '2', threadId })
  second.answer.catch(() => undefined)
  await watched.until(({ core }) => core.inbox.length === 1)
  hand.notify('notifications/cancelled', { requestId: second.id })
  await watched.until(({ core }) => core.inbox.length === 0)
  gate.resolve()
  await first.answer
  const third = await hand.call('codex-reply', { prompt: '3', threadId }).answer
  expect(third.structuredContent.content).toBe('three')
  expect(model.requests).toHaveLength(2)
})

/** Shared by all cases that are rejected. */
const shared = (() => {
  const place = testPlace()
  return { place, server: place.start() }
})()
afterAll(() => shared.place[Symbol.asyncDispose]())

test.each([
  ['codex', {}, 'prompt'],
  ['codex', { prompt: 5 }, 'prompt'],
  ['codex', { prompt: 'x', sandbox: 'none' }, 'sandbox'],
  ['codex', { prompt: 'x', cwd: '/does/not/exist' }, '/does/not/exist'],
  ['codex', { prompt: 'x', profile: 'absent' }, 'absent'],
  ['codex', { prompt: 'x', sandbox: 'danger-full-access' }, '--max-sandbox danger-full-access'],
  ['codex', { prompt: 'x', config: { sandbox_mode: 'danger-full-access' } }, '--max-sandbox'],
  ['codex', { prompt: 'x', config: { 'mcp_servers.x.command': 'touch' } }, '"mcp_servers" is not for callers'],
  ['codex', { prompt: 'x', config: { mcp_servers: { x: { url: 'http://h/' } } } }, '"mcp_servers" is not for callers'],
  ['codex', { prompt: 'x', config: { '"model_providers".x.base_url': 'http://h/' } }, '"model_providers" is not'],
  ['codex', { prompt: 'x', config: { openai_base_url: 'http://h/' } }, '"openai_base_url" is not'],
  [
    'codex',
    { prompt: 'x', config: { hooks: { Stop: [{ hooks: [{ type: 'command', command: 'touch x' }] }] } } },
    '"hooks" is not',
  ],
  ['codex', { prompt: 'x', config: { 'network.proxy': 'http://h/' } }, '"network" is not'],
  ['codex', { prompt: 'x', config: { 'sandbox_workspace_write.network_access': true } }, '_workspace_write" is not'],
  ['conversationCreate', { cwd: '/', config: { shell_environment: { include: ['*'] } } }, '"shell_environment" is not'],
  ['conversationCreate', { cwd: '/', sandbox: 'danger-full-access' }, '--max-sandbox'],
  ['codex-reply', { prompt: 'x' }, 'conversationId'],
  ['codex-reply', { threadId: 'x' }, 'prompt'],
  ['codex-reply', { prompt: 'x', threadId: 'nobody' }, 'nobody'],
  ['parley-replay', { prompt: 'x' }, "Unknown tool 'parley-replay'"],
  ['conversationCreate', {}, 'cwd'],
  ['conversationStream', { conversation_id: 'nobody' }, 'There is no conversation "nobody"'],
  ['conversationSendMessage', { conversation_id: 'nobody', content: [{ type: 'text', text: 'x' }] }, 'nobody'],
  ['conversationSendMessage', { conversation_id: 'nobody', content: [] }, 'content'],
  ['conversationsList', { cursor: 'made up' }, 'cursor'],
  ['conversationsList', { limit: 0 }, 'limit'],
])('%s %j is a result that names what is wrong', async (tool, args, fault) => {
  await using hand = await takeHand(shared.server)
  const result = await hand.call(tool, args).answer
  expect(result.isError).toBe(true)
  expect(result.content[0].text).toContain(fault)
})

test('a failure of the model is a result with the thread, so that it can be tried again', async () => {
  await using place = testPlace()
  const failure = { message: 'the key is wrong', retry: 'never' as const }
  const model = scriptedModel({ failure }, { text: 'better' })
  await using hand = await takeHand(place.start({ model }))
  const { id, answer } = hand.call('codex', { prompt: 'x', cwd: place.cwd })
  const result = await answer
  expect(result).toMatchObject({
    isError: true,
    structuredContent: { content: 'Codex runtime error: the key is wrong' },
  })
  expect(noDeltas(hand.types(id)).slice(-2)).toEqual(['error', 'task_complete'])
  const { threadId } = result.structuredContent
  const again = await hand.call('codex-reply', { prompt: 'again', threadId }).answer
  expect(again.structuredContent.content).toBe('better')
})

test('settings and instructions are applied, and unused ones are reported', async () => {
  await using place = testPlace()
  const model = scriptedModel()
  await using hand = await takeHand(place.start({ model }))
  const { id, answer } = hand.call('codex', {
    prompt: 'x',
    cwd: place.cwd,
    model: 'm2',
    'approval-policy': 'never',
    'base-instructions': 'Be brief.',
    'developer-instructions': 'Be kind.',
    'include-plan-tool': false,
    something: 'else',
  })
  await answer
  expect(model.requests[0]).toMatchObject({ model: 'm2' })
  expect(JSON.stringify(model.requests[0])).toContain('Be brief.\\n\\nBe kind.')
  expect(hand.events(id).filter(({ type }) => type === 'background_event')).toEqual([
    { type: 'background_event', message: 'include-plan-tool is not used: the plan tool is always there.' },
  ])
})

test('a conversation is compacted with the prompt of its client, which gets context_compacted', async () => {
  await using place = testPlace()
  const model = scriptedModel({ text: 'word '.repeat(8000) }, { text: 'Summary.' }, { text: 'ok' })
  await using hand = await takeHand(place.start({ model, facts: { contextWindow: 14_000 } }))
  const first = hand.call('codex', { prompt: 'x', cwd: place.cwd, 'compact-prompt': '"Briefly", in Welsh.' })
  const { structuredContent } = await first.answer
  const { id, answer } = hand.call('codex-reply', { prompt: 'y', ...structuredContent })
  await answer
  expect(JSON.stringify(model.requests[1]?.entries.at(-1))).toContain('\\"Briefly\\", in Welsh.')
  expect(hand.events(id).map(({ type }) => type)).toContain('context_compacted')
})

test('a command whose client vanishes is ended with its whole tree', async () => {
  await using place = testPlace()
  const model = scriptedModel({ calls: [{ name: 'shell', args: { command: 'echo $$ > pid; sleep 60' } }] })
  const server = place.start({ model, ceiling: fullAccess })
  const hand = await takeHand(server)
  hand
    .call('codex', { prompt: 'x', cwd: place.cwd, 'approval-policy': 'never', sandbox: 'danger-full-access' })
    .answer.catch(() => undefined)
  await hand.until('the command', ({ params }) => params?.msg?.type === 'exec_command_begin')
  await hand.leave()
  await server.close()
  const pid = existsSync(join(place.cwd, 'pid')) ? Number(place.read('pid')) : 0
  expect(pid === 0 || !existsSync(`/proc/${pid}`)).toBe(true)
})

test('a client with a progress token gets each step with a growing number', async () => {
  await using place = testPlace()
  const model = scriptedModel({ calls: [{ name: 'shell', args: { command: 'echo hi' } }] }, { text: 'One\nTwo' })
  await using hand = await takeHand(place.start({ model, ceiling: fullAccess }))
  const args = { prompt: 'x', cwd: place.cwd, 'approval-policy': 'never', sandbox: 'danger-full-access' }
  await hand.request('tools/call', { name: 'codex', arguments: args, _meta: { progressToken: 'p' } })
  expect(hand.notified('notifications/progress').map(({ params }) => params)).toEqual([
    { progressToken: 'p', progress: 1, message: 'Working' },
    { progressToken: 'p', progress: 2, message: '$ echo hi' },
    { progressToken: 'p', progress: 3, message: 'One' },
  ])
})

test('long output is bounded in every message, and the omission is marked', async () => {
  await using place = testPlace()
  const model = scriptedModel({ calls: [{ name: 'shell', args: { command: 'yes 0123456789 | head -c 20000000' } }] })
  await using hand = await takeHand(place.start({ model, ceiling: fullAccess }))
  const args = { prompt: 'x', cwd: place.cwd, 'approval-policy': 'never', sandbox: 'danger-full-access' }
  const { id, answer } = hand.call('codex', args)
  await answer
  const longest = Math.max(...hand.received.map((message) => JSON.stringify(message).length))
  expect(longest).toBeLessThan(256 * 1024)
  const end = hand.events(id).find(({ type }) => type === 'exec_command_end')
  expect(end.aggregated_output).toMatch(/\[… \d+ of \d+ bytes left out …\]/)
  expect(hand.events(id).some(({ message = '' }) => /20000000|bytes of output so far/.test(message))).toBe(true)
})
