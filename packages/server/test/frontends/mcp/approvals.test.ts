import { existsSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { afterAll, describe, expect, test } from 'vitest'
import { type TestPlace, testPlace } from '../../engine/support/test-server.ts'
import { type Hand, takeHand, type Wire } from './support/hand.ts'

const touch = { name: 'shell', args: { command: "touch made.txt && echo 'it is'" } }
const patch =
  '*** Begin Patch\n*** Add File: new.txt\n+one\n*** Update File: old.txt\n@@\n-before\n+after\n*** End Patch'

/** A call whose turn asks for the command, and then says so. */
function askToTouch(hand: Hand, place: TestPlace) {
  return hand.call('codex', { prompt: 'touch it', cwd: place.cwd, 'approval-policy': 'untrusted' })
}

const touching = () => scriptedModel({ calls: [touch] }, { text: 'that was it' })
/** Shared by all answers to the same question. */
const shared = ((model) => {
  const place = testPlace()
  return { place, model, server: place.start({ model }) }
})(scriptedModel())
afterAll(() => shared.place[Symbol.asyncDispose]())

const isMade = (place: TestPlace) => existsSync(join(place.cwd, 'made.txt'))

test("a command's elicitation has all that a client shows, and follows its event", async () => {
  await using place = testPlace()
  await using hand = await takeHand(place.start({ model: touching() }))
  const { id, answer } = askToTouch(hand, place)
  const question = await hand.asked()
  const [request] = hand.events(id).filter(({ type }) => type === 'exec_approval_request')
  const limits = 'not sandboxed: it may do all that its account may, network included'
  expect(question.params).toEqual({
    message: `Allow Codex to run \`/bin/sh -c 'touch made.txt && echo '\\''it is'\\'''\` in \`${place.cwd}\`?\nLimits: ${limits}\nAsked because: ${request.reason} [builtin:untrusted]\nA yes for the session covers exactly this command.`,
    requestedSchema: { type: 'object', properties: {} },
    threadId: hand.notified('codex/event')[0].params._meta.threadId,
    codex_elicitation: 'exec-approval',
    codex_mcp_tool_call_id: String(id),
    codex_event_id: hand.notified('codex/event').at(-1).params.id,
    codex_call_id: request.call_id,
    codex_command: ['/bin/sh', '-c', "touch made.txt && echo 'it is'"],
    codex_cwd: place.cwd,
    codex_parsed_cmd: [{ type: 'unknown', cmd: "touch made.txt && echo 'it is'" }],
    codex_reason: request.reason,
  })
  hand.send({ jsonrpc: '2.0', id: question.id, result: { decision: 'approved' } })
  expect((await answer).content[0].text).toBe('that was it')
  expect(isMade(place)).toBe(true)
})

test("a patch's elicitation has its changes; its begin, end and turn diff follow", async () => {
  await using place = testPlace()
  place.write('old.txt', 'before\n')
  const model = scriptedModel({ calls: [{ name: 'apply_patch', args: { patch } }] }, { text: 'patched' })
  await using hand = await takeHand(place.start({ model }))
  const { id, answer } = hand.call('codex', { prompt: 'patch', cwd: place.cwd, 'approval-policy': 'untrusted' })
  const { id: questionId, params } = await hand.asked()
  const update = {
    type: 'update',
    unified_diff: '--- old.txt\n+++ old.txt\n@@ -1,1 +1,1 @@\n-before\n+after\n',
    move_path: null,
  }
  const changes = {
    [`${place.cwd}/new.txt`]: { type: 'add', content: 'one\n' },
    [`${place.cwd}/old.txt`]: update,
  }
  expect(params).toMatchObject({ codex_elicitation: 'patch-approval', codex_changes: changes })
  expect(params.message).toBe(
    `${params.codex_reason} [builtin:untrusted]\nAllow Codex to apply proposed code changes?\nadd new.txt (+1 −0)\nchange old.txt (+1 −1)\nPaths are relative to \`${place.cwd}\`.\nLimits: these files only, without a sandbox\nA yes for the session covers any change to these files.\n\n--- /dev/null\n+++ new.txt\n@@ -0,0 +1,1 @@\n+one\n\n${update.unified_diff.trimEnd()}`,
  )
  hand.send({ jsonrpc: '2.0', id: questionId, result: { action: 'accept', content: {} } })
  await answer
  const told = hand.events(id)
  const callId = params.codex_call_id
  expect(told.find(({ type }) => type === 'patch_apply_begin')).toMatchObject({
    call_id: callId,
    auto_approved: false,
    changes,
  })
  expect(told.find(({ type }) => type === 'patch_apply_end')).toMatchObject({
    call_id: callId,
    success: true,
    stderr: '',
  })
  expect(told.find(({ type }) => type === 'turn_diff').unified_diff).toContain('+++ old.txt')
  expect(place.read('new.txt')).toBe('one\n')
})

test("a command's elicitation says where a program of the workspace leads", async () => {
  await using place = testPlace()
  symlinkSync('/bin/cat', join(place.cwd, 'build'))
  const model = scriptedModel({ calls: [{ name: 'shell', args: { command: './build x' } }] }, { text: 'ok' })
  await using hand = await takeHand(place.start({ model }))
  const { answer } = askToTouch(hand, place)
  const { id, params } = await hand.asked()
  expect(params.message).toMatch(/\.\/build is the program .*\/work\/build, which leads to .*\/cat/)
  hand.send({ jsonrpc: '2.0', id, result: { action: 'decline' } })
  await answer
})

describe('an approving answer runs the command', () => {
  test.each([
    { decision: 'approved' },
    { decision: 'approved_for_session' },
    { action: 'accept' },
    { action: 'accept', content: {} },
    { action: 'accept', content: { decision: 'approved' }, decision: 'approved' },
  ])('%j', async (result) => {
    const { place, server, model } = shared
    rmSync(join(place.cwd, 'made.txt'), { force: true })
    model.script({ calls: [touch] }, { text: 'that was it' })
    await using hand = await takeHand(server)
    const { answer } = askToTouch(hand, place)
    hand.send({ jsonrpc: '2.0', id: (await hand.asked()).id, result })
    expect((await answer).content[0].text).toBe('that was it')
    expect(isMade(place)).toBe(true)
  })
})

describe('any other answer denies at once, and the turn goes on', () => {
  const replies: readonly [string, (id: Wire) => Wire][] = [
    ['denied', (id) => ({ jsonrpc: '2.0', id, result: { decision: 'denied' } })],
    ['decline', (id) => ({ jsonrpc: '2.0', id, result: { action: 'decline' } })],
    ['cancel', (id) => ({ jsonrpc: '2.0', id, result: { action: 'cancel' } })],
    ['yes and no', (id) => ({ jsonrpc: '2.0', id, result: { action: 'decline', decision: 'approved' } })],
    ['an unknown decision', (id) => ({ jsonrpc: '2.0', id, result: { decision: 'certainly' } })],
    ['a decision that is no word', (id) => ({ jsonrpc: '2.0', id, result: { decision: { approved: true } } })],
    ['nothing in it', (id) => ({ jsonrpc: '2.0', id, result: {} })],
    ['a list', (id) => ({ jsonrpc: '2.0', id, result: [] })],
    ['a word', (id) => ({ jsonrpc: '2.0', id, result: 'approved' })],
    ['null', (id) => ({ jsonrpc: '2.0', id, result: null })],
    ['an error', (id) => ({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } })],
    ['an error that is none', (id) => ({ jsonrpc: '2.0', id, error: 'no' })],
    ['no version', (id) => ({ id, result: { decision: 'approved' } })],
  ]
  test.each(replies)('%s', async (_name, reply) => {
    const { place, server, model } = shared
    rmSync(join(place.cwd, 'made.txt'), { force: true })
    model.script({ calls: [touch] }, { text: 'that was it' })
    await using hand = await takeHand(server)
    const { answer } = askToTouch(hand, place)
    hand.send(reply((await hand.asked()).id))
    expect((await answer).content[0].text).toBe('that was it')
    expect(isMade(place)).toBe(false)
    expect(JSON.stringify(model.requests.at(-1))).toContain('the user denied this')
  })

  test('a client without elicitation', async () => {
    await using place = testPlace()
    await using hand = await takeHand(place.start({ model: touching() }), { capabilities: {} })
    expect((await askToTouch(hand, place).answer).content[0].text).toBe('that was it')
    expect(isMade(place)).toBe(false)
  })

  test('no answer within the time limit', async () => {
    await using place = testPlace()
    await using hand = await takeHand(place.start({ model: touching() }), { approvalTimeoutMs: 50 })
    expect((await askToTouch(hand, place).answer).content[0].text).toBe('that was it')
    expect(isMade(place)).toBe(false)
  })

  test('a client that leaves instead', async () => {
    await using place = testPlace()
    const server = place.start({ model: touching() })
    const hand = await takeHand(server)
    const { answer } = askToTouch(hand, place)
    answer.catch(() => undefined)
    const { params } = await hand.asked()
    await hand.leave()
    await using other = await takeHand(server, { name: 'other' })
    const next = await other.call('codex-reply', { prompt: 'and now', threadId: params.threadId }).answer
    expect(next.isError).toBeUndefined()
    expect(isMade(place)).toBe(false)
    const log = place.logLines(params.threadId).join('\n')
    expect(log).toContain('"decision":"denied"')
    expect(log).not.toContain('"outcome":"interrupted"')
    expect(log).not.toContain('turn.parked')
  })
})

describe('a question longer than a client is shown', () => {
  const large = (kib: number) => {
    const line = `+${'x'.repeat(63)}\n`
    return `*** Begin Patch\n*** Add File: large.txt\n${line.repeat(kib * 16)}*** End Patch`
  }
  const patching = (kib: number) =>
    scriptedModel({ calls: [{ name: 'apply_patch', args: { patch: large(kib) } }] }, { text: 'that was it' })

  test.each([
    ['a patch', () => patching(65)],
    [
      'a command',
      () =>
        scriptedModel(
          { calls: [{ name: 'shell', args: { command: `touch made.txt #${'x'.repeat(66_000)}` } }] },
          { text: 'that was it' },
        ),
    ],
  ])('is denied there, and names the way to be asked: %s', async (_what, modelOf) => {
    await using place = testPlace()
    const model = modelOf()
    await using hand = await takeHand(place.start({ model }))
    const { answer } = askToTouch(hand, place)
    const { content, structuredContent } = await answer
    expect(content[0].text).toBe('that was it')
    expect(hand.received.filter(({ method }) => method === 'elicitation/create')).toEqual([])
    expect(existsSync(join(place.cwd, 'large.txt')) || isMade(place)).toBe(false)
    const told = JSON.stringify(model.requests.at(-1))
    expect(told).toContain(`parley attach ${structuredContent.threadId.slice(-8)}`)
    expect(told).not.toContain('the user denied')
  })

  test('is asked up to that length', async () => {
    await using place = testPlace()
    await using hand = await takeHand(place.start({ model: patching(62) }))
    const { answer } = askToTouch(hand, place)
    const { id, params } = await hand.asked()
    expect(params.message.match(/^\+x{63}$/gm)).toHaveLength(62 * 16)
    hand.send({ jsonrpc: '2.0', id, result: { action: 'accept' } })
    await answer
    expect(place.read('large.txt')).toHaveLength(62 * 1024)
  })

  test('is denied to a client that streams alone', async () => {
    await using place = testPlace()
    await using hand = await takeHand(place.start({ model: patching(65) }))
    const created = { cwd: place.cwd, approval_policy: 'untrusted' }
    const { structuredContent } = await hand.call('conversationCreate', created).answer
    const { conversation_id } = structuredContent
    await hand.call('conversationStream', { conversation_id }).answer
    await hand.call('conversationSendMessage', { conversation_id, content: [{ type: 'text', text: 'go' }] }).answer
    await hand.until('the end', ({ method }) => method === 'task_complete')
    expect(existsSync(join(place.cwd, 'large.txt'))).toBe(false)
  })

  test('waits for another client that can answer it, where this one only follows', async () => {
    await using place = testPlace()
    const server = place.start({ model: patching(65) })
    await using hand = await takeHand(server)
    const created = { cwd: place.cwd, approval_policy: 'untrusted' }
    const { structuredContent } = await hand.call('conversationCreate', created).answer
    const { conversation_id } = structuredContent
    const terminal = await server.connect('terminal')
    const watched = await terminal.watch(conversation_id)
    await hand.call('conversationStream', { conversation_id }).answer
    await hand.call('conversationSendMessage', { conversation_id, content: [{ type: 'text', text: 'go' }] }).answer
    const { id: approvalId } = await watched.approval()
    await hand.until('the event of the question', ({ method }) => method === 'apply_patch_approval_request')
    await terminal.request('approval/decide', { conversationId: conversation_id, approvalId, decision: 'approved' })
    await hand.until('the end', ({ method }) => method === 'task_complete')
    expect(existsSync(join(place.cwd, 'large.txt'))).toBe(true)
  })
})

test('abort denies and ends the turn', async () => {
  await using place = testPlace()
  await using hand = await takeHand(place.start({ model: touching() }))
  const { id, answer } = askToTouch(hand, place)
  hand.send({ jsonrpc: '2.0', id: (await hand.asked()).id, result: { decision: 'abort' } })
  expect(await answer).toMatchObject({ isError: true, content: [{ text: 'The turn was interrupted.' }] })
  expect(hand.types(id).at(-1)).toBe('turn_aborted')
  expect(isMade(place)).toBe(false)
})

test('approved for the session holds in a later reply', async () => {
  await using place = testPlace()
  const model = scriptedModel({ calls: [touch] }, { text: 'one' }, { calls: [touch] }, { text: 'two' })
  await using hand = await takeHand(place.start({ model }))
  const { answer } = askToTouch(hand, place)
  hand.send({ jsonrpc: '2.0', id: (await hand.asked()).id, result: { decision: 'approved_for_session' } })
  const { threadId } = (await answer).structuredContent
  expect((await hand.call('codex-reply', { prompt: 'again', threadId }).answer).content[0].text).toBe('two')
  expect(hand.received.filter(({ method }) => method === 'elicitation/create')).toHaveLength(1)
})

test('an approval decided by another client is withdrawn', async () => {
  await using place = testPlace()
  const server = place.start({ model: touching() })
  await using hand = await takeHand(server)
  const { answer } = askToTouch(hand, place)
  const question = await hand.asked()
  const terminal = await server.connect('terminal')
  const { threadId: conversationId } = question.params
  const watched = await terminal.watch(conversationId)
  const { id: approvalId } = await watched.approval()
  await terminal.request('approval/decide', { conversationId, approvalId, decision: 'approved' })
  await hand.until(
    'the withdrawal',
    ({ method, params }) => method === 'notifications/cancelled' && params.requestId === question.id,
  )
  expect((await answer).content[0].text).toBe('that was it')
  expect(isMade(place)).toBe(true)
})

test('a cancelled call withdraws its elicitation', async () => {
  await using place = testPlace()
  await using hand = await takeHand(place.start({ model: touching() }))
  const { id, answer } = askToTouch(hand, place)
  answer.catch(() => undefined)
  const question = await hand.asked()
  hand.notify('notifications/cancelled', { requestId: id })
  await hand.until(
    'the withdrawal',
    ({ method, params }) => method === 'notifications/cancelled' && params.requestId === question.id,
  )
  hand.send({ jsonrpc: '2.0', id: question.id, result: { decision: 'approved' } })
  const reply = hand.call('codex-reply', { prompt: 'and now', threadId: question.params.threadId })
  expect((await reply.answer).content[0].text).toBe('that was it')
  expect(isMade(place)).toBe(false)
})
