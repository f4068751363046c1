import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { methods } from '@agentclientprotocol/sdk'
import { hasFullSandbox, noFullSandbox, waitUntil } from '@parley/testkit'
import { expect, test, vi } from 'vitest'
import { makeWorld } from '../mcp-server/world.ts'
import { choose, type Editor, startAcp, startEditor } from './acp-client.ts'

// Each test starts processes, on a machine that may have other work.
vi.setConfig({ testTimeout: 60_000 })

const touch = { calls: [{ name: 'shell', arguments: { command: "echo '`hi`' > made.txt; cat made.txt" } }] }

function ask({ agent }: Editor, sessionId: string, text = 'go') {
  return agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] })
}

test('an approved command is shown with its question, kind, output and end', async () => {
  await using world = await makeWorld([touch, { reasoning: 'think', text: 'made it', chunks: 3 }], 'untrusted')
  await using editor = await startEditor(world)
  const sessionId = await editor.open()
  expect(await ask(editor, sessionId)).toEqual({ stopReason: 'end_turn' })
  expect(readFileSync(join(world.cwd, 'made.txt'), 'utf8')).toBe('`hi`\n')
  const [question] = editor.questions
  expect(question?.options.map(({ optionId, kind }) => [optionId, kind])).toContainEqual(['denied', 'reject_once'])
  const [shown] = question?.toolCall.content ?? []
  expect(JSON.stringify(shown)).toContain('not sandboxed')
  const calls = editor.updates.filter(({ sessionUpdate }) => sessionUpdate.startsWith('tool_call'))
  expect(calls.at(0)).toMatchObject({ sessionUpdate: 'tool_call', kind: 'execute', status: 'pending' })
  expect(calls.at(1)).toMatchObject({ status: 'in_progress' })
  expect(calls.at(-1)).toMatchObject({ status: 'completed' })
  expect(JSON.stringify(calls.at(-1))).toContain('`hi`')
  expect(editor.said('agent_message_chunk')).toBe('made it')
  expect(editor.said('agent_thought_chunk')).toBe('think')
  expect(editor.updates.filter((one) => one.sessionUpdate === 'agent_message_chunk').length).toBeGreaterThan(1)
})

test('a denial, an answer that was never offered and an error of the client run nothing', async () => {
  const answers = [() => choose('denied'), () => choose('never offered'), () => Promise.reject(new Error('no window'))]
  const steps = answers.flatMap(() => [touch, { text: 'then not' }])
  await using world = await makeWorld(steps, 'untrusted')
  await using editor = await startEditor(world, () => answers[editor.questions.length - 1]?.() ?? choose('denied'))
  for (const asked of answers.keys()) {
    const before = editor.updates.length
    expect(await ask(editor, await editor.open())).toEqual({ stopReason: 'end_turn' })
    expect(editor.questions).toHaveLength(asked + 1)
    expect(existsSync(join(world.cwd, 'made.txt'))).toBe(false)
    expect(editor.updates.slice(before)).toContainEqual(
      expect.objectContaining({ sessionUpdate: 'tool_call_update', status: 'failed' }),
    )
  }
})

test('a patch is shown with old and new text, before and after it is applied', async () => {
  const patch = '*** Begin Patch\n*** Update File: a.txt\n@@\n-old\n+new\n*** End Patch'
  await using world = await makeWorld(
    [{ calls: [{ name: 'apply_patch', arguments: { patch } }] }, { text: 'ok' }],
    'untrusted',
  )
  writeFileSync(join(world.cwd, 'a.txt'), 'old\n')
  await using editor = await startEditor(world)
  await ask(editor, await editor.open())
  const diff = { type: 'diff', path: join(world.cwd, 'a.txt'), oldText: 'old\n', newText: 'new\n' }
  expect(editor.questions[0]?.toolCall).toMatchObject({ kind: 'edit', content: expect.arrayContaining([diff]) })
  const last = editor.updates.findLast(({ sessionUpdate }) => sessionUpdate === 'tool_call_update')
  expect(last).toMatchObject({ status: 'completed', content: [diff] })
})

test('a cancelled prompt ends as cancelled while its question is open', async () => {
  await using world = await makeWorld([touch, { text: 'never' }], 'untrusted')
  const never = Promise.withResolvers<ReturnType<typeof choose>>()
  await using editor = await startEditor(world, () => never.promise)
  const sessionId = await editor.open()
  const asked = ask(editor, sessionId)
  await waitUntil(() => editor.questions.length === 1, { what: 'the question' })
  await editor.agent.notify(methods.agent.session.cancel, { sessionId })
  expect(await asked).toEqual({ stopReason: 'cancelled' })
  never.resolve(choose('approved'))
  expect(existsSync(join(world.cwd, 'made.txt'))).toBe(false)
})

test('a conversation is listed, and loaded by another process with all that was said', async () => {
  await using world = await makeWorld([{ text: 'one' }, { text: 'two' }])
  let sessionId = ''
  {
    await using editor = await startEditor(world)
    sessionId = await editor.open()
    await ask(editor, sessionId, 'first')
  }
  await using editor = await startEditor(world)
  const { sessions } = await editor.agent.request(methods.agent.session.list, { cwd: world.cwd })
  expect(sessions).toMatchObject([{ sessionId, cwd: world.cwd, title: 'first' }])
  await editor.agent.request(methods.agent.session.load, { sessionId, cwd: world.cwd, mcpServers: [] })
  expect([editor.said('user_message_chunk'), editor.said('agent_message_chunk')]).toEqual(['first', 'one'])
  await ask(editor, sessionId, 'second')
  expect(editor.said('agent_message_chunk')).toBe('onetwo')
  expect(editor.said('user_message_chunk')).toBe('first')
})

test('resources reach the model as text, and what is no session or no folder is refused in words', async () => {
  await using world = await makeWorld([{ text: 'read' }])
  await using editor = await startEditor(world)
  const sessionId = await editor.open()
  await editor.agent.request(methods.agent.session.prompt, {
    sessionId,
    prompt: [
      { type: 'text', text: 'see' },
      { type: 'resource', resource: { uri: 'file:///x/unsaved.ts', text: 'const unsaved = 1' } },
      { type: 'resource_link', name: 'b.ts', uri: 'file:///x/b.ts' },
    ],
  })
  expect(world.model.requests[0]?.text).toContain('const unsaved = 1')
  expect(world.model.requests[0]?.text).toContain('/x/b.ts')
  await expect(ask(editor, 'nothing')).rejects.toThrow('There is no open session nothing.')
  const relative = editor.agent.request(methods.agent.session.new, { cwd: 'here', mcpServers: [] })
  await expect(relative).rejects.toThrow('absolute path')
  const load = { sessionId: '0190a5c0-0000-7000-8000-000000000000', cwd: world.cwd, mcpServers: [] }
  await expect(editor.agent.request(methods.agent.session.load, load)).rejects.toMatchObject({ code: -32002 })
})

test('a failed turn is an error with the words of the failure', async () => {
  await using world = await makeWorld([{ status: 401, body: { error: { message: 'bad key' } } }])
  await using editor = await startEditor(world)
  await expect(ask(editor, await editor.open())).rejects.toMatchObject({ code: -32603 })
})

test('rubbish is answered, and the end of stdin in the middle of a turn ends the program', async () => {
  await using world = await makeWorld([{ text: 'never', hang: 'mid' }])
  const child = startAcp(world)
  let out = ''
  child.stdout.on('data', (bytes) => {
    out += bytes
  })
  const exited = once(child, 'exit')
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  child.stdin.write('{{{\n[]\n')
  await waitUntil(() => out.includes('-32700') && out.includes('-32600'), { what: 'two errors' })
  send({ id: 1, method: 'initialize', params: { protocolVersion: 1 } })
  await waitUntil(() => out.includes('agentInfo'), { what: 'the introduction' })
  send({ id: 2, method: 'session/new', params: { cwd: world.cwd, mcpServers: [] } })
  const [, sessionId] = await waitUntil(() => /"sessionId":"([^"]+)"/.exec(out), { what: 'the session' })
  send({ id: 3, method: 'session/prompt', params: { sessionId, prompt: [{ type: 'text', text: 'go' }] } })
  await waitUntil(() => out.includes('agent_message_chunk'), { what: 'a chunk' })
  child.stdin.end()
  expect(await exited).toEqual([0, null])
  expect(world.commands()).toEqual([])
})

test('a plan is a permission with the modes to work in, and the mode that was chosen is announced', async (context) => {
  context.skip(!hasFullSandbox, noFullSandbox)
  const plan = { title: 'Make it', steps: ['touch made.txt'], risks: [] }
  const propose = { calls: [{ name: 'propose_plan', arguments: plan }] }
  await using world = await makeWorld([propose, touch, { text: 'made it' }], 'on-request')
  await using editor = await startEditor(world, () => choose('edit'))
  const sessionId = await editor.open()
  await editor.agent.request(methods.agent.session.setMode, { sessionId, modeId: 'plan' })
  expect(await ask(editor, sessionId)).toEqual({ stopReason: 'end_turn' })
  expect(editor.questions.map(({ options }) => options.map(({ optionId }) => optionId))).toEqual([
    ['ask', 'edit', 'denied', 'abort'],
  ])
  expect(JSON.stringify(editor.questions[0]?.toolCall.content)).toContain('1. touch made.txt')
  const modes = editor.updates.flatMap((one) =>
    one.sessionUpdate === 'current_mode_update' ? [one.currentModeId] : [],
  )
  expect(modes).toEqual(['plan', 'edit'])
  expect(existsSync(join(world.cwd, 'made.txt'))).toBe(true)
})
