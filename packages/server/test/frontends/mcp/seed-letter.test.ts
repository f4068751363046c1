import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fakeSandboxes } from '@parley/engine/test/support/fake-sandboxes.ts'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { assertJson } from '@parley/frontends/src/mcp/serve-mcp.ts'
import { expect, test } from 'vitest'
import { testPlace } from '../../engine/support/test-server.ts'
import { takeHand } from './support/hand.ts'

test('a conversation is created for a folder that is not there; its first command says so, and runs once it is', async () => {
  await using place = testPlace()
  const echo = { name: 'shell', args: { command: 'echo here' } }
  const model = scriptedModel({ text: 'hello' }, { calls: [echo] }, { text: 'one' }, { calls: [echo] }, { text: 'two' })
  await using hand = await takeHand(place.start({ model }))
  const cwd = join(place.cwd, 'later')
  const created = await hand.call('conversationCreate', { cwd, model: 'm', prompt: '' }).answer
  expect(created).toMatchObject({ isError: false, structuredContent: { model: 'm' } })
  const { conversation_id } = created.structuredContent
  await hand.call('conversationStream', { conversation_id }).answer
  const say = async (turn: number) => {
    const message = { conversation_id, content: [{ type: 'text', text: 'x' }], model: 'm' }
    await hand.call('conversationSendMessage', message).answer
    await hand.until(`the end of turn ${turn}`, () => hand.notified('task_complete').length === turn)
    return hand.notified('exec_command_end').at(-1)?.params.msg
  }
  const missing = `Not run: the working directory ${cwd} is not there. Make it first, or name another workdir.`
  expect(await say(1)).toBeUndefined()
  expect(await say(2)).toMatchObject({ exit_code: -1, aggregated_output: missing })
  expect(hand.notified('exec_command_begin')[0].params.msg).toMatchObject({ cwd, parsed_cmd: [{ cmd: 'echo here' }] })
  mkdirSync(cwd)
  expect(await say(3)).toMatchObject({ exit_code: 0, stdout: 'here\n' })
})

test('a conversation is not created in what is no folder', async () => {
  await using place = testPlace()
  await using hand = await takeHand(place.start())
  const created = await hand.call('conversationCreate', { cwd: '/dev/null' }).answer
  expect(created).toMatchObject({ isError: true, content: [{ text: 'The folder /dev/null is a file, not a folder.' }] })
})

test('who asks, and what failed, have the name by which the agent was called', async () => {
  await using place = testPlace()
  const touch = { name: 'shell', args: { command: 'touch made.txt' } }
  const failure = { message: 'the key is wrong', retry: 'never' as const }
  const model = scriptedModel({ calls: [touch] }, { failure }, { calls: [touch] }, { failure })
  await using hand = await takeHand(place.start({ model }))
  const asking = { prompt: 'x', cwd: place.cwd, 'approval-policy': 'untrusted' }
  for (const [nth, { tool, agent, end, start }] of [
    { tool: 'codex', agent: 'Codex', end: 'Codex runtime error: ', start: 'Failed to start Codex session: ' },
    { tool: 'parley', agent: 'parley', end: '', start: '' },
  ].entries()) {
    const { answer } = hand.call(tool, asking)
    const question = await hand.asked(nth + 1)
    expect(question.params.message).toMatch(`Allow ${agent} to run \`/bin/sh -c 'touch made.txt'\` in`)
    hand.send({ jsonrpc: '2.0', id: question.id, result: { decision: 'denied' } })
    expect(await answer).toMatchObject({ isError: true, content: [{ text: `${end}the key is wrong` }] })
    const missing = await hand.call(tool, { prompt: 'x', cwd: '/no/such' }).answer
    expect(missing).toMatchObject({ isError: true, content: [{ text: `${start}The folder /no/such does not exist.` }] })
  }
})

test('a question of a streamed conversation names the call that created it', async () => {
  await using place = testPlace()
  const touch = { name: 'shell', args: { command: 'touch made.txt' } }
  await using hand = await takeHand(place.start({ model: scriptedModel({ calls: [touch] }) }))
  const create = hand.call('conversationCreate', { cwd: place.cwd, approval_policy: 'untrusted', prompt: 'go' })
  const { conversation_id } = (await create.answer).structuredContent
  await hand.call('conversationStream', { conversation_id }).answer
  const { params } = await hand.asked()
  expect(params).toMatchObject({ codex_mcp_tool_call_id: String(create.id), codex_elicitation: 'exec-approval' })
  expect(params.message).toMatch('Allow Codex to run')
})

test('the first event counts the prompt history', async () => {
  await using place = testPlace()
  const history = join(place.root, '.parley', 'prompts.jsonl')
  await using hand = await takeHand(place.start())
  const configured = async () => {
    const { id, answer } = hand.call('codex', { prompt: 'x', cwd: place.cwd })
    await answer
    return hand.events(id)[0]
  }
  expect(await configured()).toMatchObject({ history_log_id: 0, history_entry_count: 0 })
  writeFileSync(history, '{"folder":"/","text":"one"}\n{"folder":"/","text":"two"}\n')
  expect(await configured()).toMatchObject({ history_log_id: statSync(history).ino, history_entry_count: 2 })
})

test('a result without a JSON form is the error that Codex gives for it', () => {
  const result = { content: [], structuredContent: { size: 1n } }
  expect(() => assertJson(result)).toThrow(/^failed to serialize response: .*BigInt/)
  expect(assertJson({ content: [] })).toEqual({ content: [] })
})

const writing = (path: string) => {
  const patch = `*** Begin Patch\n*** Add File: ${path}\n+x\n*** End Patch`
  return { calls: [{ name: 'apply_patch', args: { patch } }] }
}

test('a patch outside offers its folder, and a yes for the session opens it', async () => {
  await using place = testPlace()
  const other = join(place.root, 'other')
  const opened = Promise.withResolvers<void>()
  const model = scriptedModel(
    writing(join(other, 'a.txt')),
    { ...writing(join(other, 'deep/b.txt')), gate: opened.promise },
    { text: 'done' },
  )
  const { sandboxes } = fakeSandboxes()
  const server = place.start({ model, sandboxes })
  await using hand = await takeHand(server)
  const { id, answer } = hand.call('codex', { prompt: 'x', cwd: place.cwd })
  const { id: question, params } = await hand.asked()
  expect(params).toMatchObject({ codex_elicitation: 'patch-approval', codex_grant_root: other })
  expect(params.message).toContain(`A yes for the session opens \`${other}\` for later commands and patches.`)
  const [request] = hand.events(id).filter(({ type }) => type === 'apply_patch_approval_request')
  expect(request).toMatchObject({ grant_root: other })
  const { threadId } = hand.notified('codex/event')[0].params._meta
  const watched = await (await server.connect('witness')).watch(threadId)
  hand.send({ jsonrpc: '2.0', id: question, result: { decision: 'approved_for_session' } })
  await watched.until(({ core }) => core.settings.writableRoots.includes(other))
  opened.resolve()
  expect((await answer).content[0].text).toBe('done')
  expect(hand.received.filter(({ method }) => method === 'elicitation/create')).toHaveLength(1)
  expect(existsSync(join(other, 'deep/b.txt'))).toBe(true)
})

test.each(['approved', 'denied'])('a patch outside opens nothing where it is %s for once', async (decision) => {
  await using place = testPlace()
  const model = scriptedModel(writing(join(place.root, 'other/a.txt')), writing(join(place.root, 'other/b.txt')))
  await using hand = await takeHand(place.start({ model }))
  hand.call('codex', { prompt: 'x', cwd: place.cwd })
  hand.send({ jsonrpc: '2.0', id: (await hand.asked()).id, result: { decision } })
  expect((await hand.asked(2)).params.codex_grant_root).toBe(join(place.root, 'other'))
})

test('reasoning that is no summary comes as raw content, in pieces and whole', async () => {
  await using place = testPlace()
  await using hand = await takeHand(place.start({ model: scriptedModel({ rawReasoning: 'hm', text: 'one' }) }))
  const { id, answer } = hand.call('codex', { prompt: 'x', cwd: place.cwd })
  await answer
  const told = hand.events(id).filter(({ type }) => type.startsWith('agent_reasoning'))
  expect(told).toEqual([
    { type: 'agent_reasoning_raw_content_delta', delta: 'hm' },
    { type: 'agent_reasoning_raw_content', text: 'hm' },
  ])
})

test('a stream leaves out the tokens, which a call is told, and the message of the user', async () => {
  await using place = testPlace()
  const usage = { inputTokens: 7, outputTokens: 5 }
  await using hand = await takeHand(place.start({ model: scriptedModel({ text: 'one', usage }) }))
  const { id, answer } = hand.call('codex', { prompt: 'x', cwd: place.cwd })
  const { threadId } = (await answer).structuredContent
  expect(hand.types(id)).toEqual(expect.arrayContaining(['token_count', 'user_message']))
  await hand.call('conversationStream', { conversation_id: threadId }).answer
  const state = await hand.until('the state', ({ method }) => method === 'notifications/initial_state')
  const types = state.params.initial_state.events.map(({ msg }: { msg: { type: string } }) => msg.type)
  expect(types).toEqual(['task_started', 'agent_message', 'task_complete'])
})
