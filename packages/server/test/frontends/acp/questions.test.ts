import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type CreateElicitationRequest, type CreateElicitationResponse, methods } from '@agentclientprotocol/sdk'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../../engine/support/test-server.ts'
import { calling, mcpPlace } from '../../tools/mcp/support/mcp-place.ts'
import { choose, type EditorOptions, openEditor } from './editor.ts'
import { rawClient } from './raw-client.ts'

const mcpPatience = { firstRequestMs: 15_000, restartDelaysMs: [5] } as const

/** Runs a call of an MCP server that asks, and returns what the model was told. */
async function askedByServer(options: EditorOptions) {
  await using place = mcpPlace()
  place.configure('ugly', 'plain')
  const model = scriptedModel(calling('ask'), { text: 'ok' })
  await using editor = await openEditor(place.start({ model, mcpPatience }), options)
  const { sessionId } = await editor.open(place.cwd)
  const stopReason = await editor.say(sessionId, 'go')
  return { stopReason, questions: editor.questions, told: JSON.stringify(model.requests[1]?.entries.at(-1)) }
}

describe('the form of an MCP server', () => {
  it('is shown with its fields, again when an answer does not fit, and its answers reach the server', async () => {
    const forms: CreateElicitationRequest[] = []
    const answers: CreateElicitationResponse[] = [
      { action: 'accept', content: { branch: 'x' } },
      { action: 'accept', content: { branch: 'main', count: 2, tags: ['a', 'b'] } },
    ]
    const { told } = await askedByServer({
      capabilities: { elicitation: { form: {} } },
      fill: (form) => {
        forms.push(form)
        return answers.shift() ?? { action: 'cancel' }
      },
    })
    expect(forms[0]).toMatchObject({ mode: 'form', toolCallId: expect.any(String) })
    expect(forms[0]?.message).toContain('The MCP server "ugly" asks this while its tool runs.')
    expect(forms[0]).toMatchObject({
      requestedSchema: { required: ['branch'], properties: { count: { type: 'integer' } } },
    })
    expect(forms[1]?.message).toContain('Branch: needed: 2 characters or more.')
    expect(told).toContain(
      String.raw`{\"action\":\"accept\",\"content\":{\"branch\":\"main\",\"count\":2,\"tags\":[\"a\",\"b\"]}}`,
    )
  })

  it('can only be declined in a client without forms', async () => {
    const { told, questions } = await askedByServer({
      answer: ({ options }) => choose(options.some(({ optionId }) => optionId === 'approved') ? 'approved' : 'denied'),
    })
    expect(questions.at(-1)?.options.map(({ optionId }) => optionId)).toEqual(['denied', 'abort'])
    expect(told).toContain(String.raw`{\"action\":\"decline\"}`)
  })
})

describe('a call of an MCP server', () => {
  it('is offered with what each yes for the session covers, and the wider one holds for other arguments', async () => {
    await using place = mcpPlace()
    place.configure('ugly', 'plain')
    const model = scriptedModel(calling('echo', { a: 1 }), calling('echo', { a: 2 }), { text: 'ok' })
    const answer = () => choose('approvedForSession:any')
    await using editor = await openEditor(place.start({ model, mcpPatience }), { answer })
    const { sessionId } = await editor.open(place.cwd)
    await editor.say(sessionId, 'go')
    expect(editor.questions).toHaveLength(1)
    const lasting = editor.questions[0]?.options.filter(({ kind }) => kind === 'allow_always').map(({ name }) => name)
    expect(lasting?.slice(0, 2)).toEqual([
      'Allow exactly this call for this session',
      'Allow any call of ugly/echo for this session',
    ])
  })
})

const touch = scriptedTouch('made.txt')

function scriptedTouch(name: string) {
  return { calls: [{ name: 'shell', args: { command: `rm -f ${name}; echo > ${name}` } }] }
}

describe('a question', () => {
  it('has all facts of the one description, and the diffs of a patch', async () => {
    await using place = testPlace()
    place.write('a.txt', 'old\n')
    const outside = { command: 'make раypal', escalate: true, background: true, reason: 'It must be.' }
    const patch = '*** Begin Patch\n*** Update File: a.txt\n@@\n-old\n+new\n*** End Patch'
    const calls = (name: string, args: object) => ({ calls: [{ name, args }] })
    const model = scriptedModel(calls('shell', outside), {}, calls('apply_patch', { patch }))
    await using editor = await openEditor(place.start({ model }), { answer: () => choose('denied') })
    const { sessionId } = await editor.open(place.cwd)
    await editor.say(sessionId, 'go')
    await editor.agent.request(methods.agent.session.setMode, { sessionId, modeId: 'ask' })
    await editor.say(sessionId, 'again')
    const [command, change] = editor.questions.map(({ toolCall }) => JSON.stringify(toolCall.content))
    for (const fact of [
      `in \`${place.cwd}\``,
      'Limits: not sandboxed: it may do all that its account may, network included',
      'in the background, without a time limit',
      'the model says, unchecked: “It must be.”',
      'Asked because: ',
      '! ',
    ])
      expect(command).toContain(fact)
    expect(change).toContain('Limits: ')
    expect(editor.questions[1]?.toolCall.content).toContainEqual(
      expect.objectContaining({ type: 'diff', oldText: 'old\n', newText: 'new\n' }),
    )
  })

  it('stays open for a client that never answers, until it cancels; an answer after that runs nothing', async () => {
    await using place = testPlace()
    await using client = rawClient(place.start({ model: scriptedModel(touch) }))
    const sessionId = await client.open(place.cwd)
    const turn = client.ask('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'go' }] })
    const question = await client.until(({ method }) => method === 'session/request_permission')
    client.send({ method: 'session/cancel', params: { sessionId } })
    expect(await turn).toMatchObject({ result: { stopReason: 'cancelled' } })
    client.send({ id: question['id'], result: choose('approved') })
    client.send({ id: question['id'], result: choose('approved') })
    expect(await client.ask('session/list', {})).toMatchObject({ result: { sessions: [{ sessionId }] } })
    expect(existsSync(join(place.cwd, 'made.txt'))).toBe(false)
  })

  it.each([
    ['no answer at all', {}],
    ['another shape', { outcome: 'approved' }],
    ['a choice that is not offered', choose('approvedAlways ')],
    ['null', null],
  ])('is denied by %s', async (_name, result) => {
    await using place = testPlace()
    await using client = rawClient(place.start({ model: scriptedModel(touch) }))
    const sessionId = await client.open(place.cwd)
    const turn = client.ask('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'go' }] })
    const { id } = await client.until(({ method }) => method === 'session/request_permission')
    client.send({ id, result })
    client.send({ id, result: choose('approved') })
    expect(await turn).toMatchObject({ result: { stopReason: 'end_turn' } })
    expect(existsSync(join(place.cwd, 'made.txt'))).toBe(false)
  })

  it.each(['session/load', 'session/resume'])('that waits is asked after its call is shown, by %s', async (method) => {
    await using place = testPlace()
    const { server, summary, watched } = await place.talk({ model: scriptedModel(touch) })
    await watched.send('go')
    await watched.approval()
    await using client = rawClient(server)
    await client.ask('initialize', { protocolVersion: 1, clientCapabilities: {} })
    const { conversationId: sessionId } = summary
    await client.ask(method, { sessionId, cwd: place.cwd, mcpServers: [] })
    await client.until(({ method: asked }) => asked === 'session/request_permission')
    const shown = JSON.stringify(client.received).match(/"tool_call"|session\/request_permission/g)
    expect(shown).toEqual(['"tool_call"', 'session/request_permission'])
  })

  it('is withdrawn from a client when another one answers', async () => {
    await using place = testPlace()
    const server = place.start({ model: scriptedModel(touch) })
    await using client = rawClient(server)
    const sessionId = await client.open(place.cwd)
    const turn = client.ask('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'go' }] })
    const { id } = await client.until(({ method }) => method === 'session/request_permission')
    const terminal = await server.connect('terminal')
    const watched = await terminal.watch(sessionId)
    const approval = await watched.approval()
    await terminal.request('approval/decide', {
      conversationId: sessionId,
      approvalId: approval.id,
      decision: 'denied',
    })
    expect(await client.until(({ method }) => method === '$/cancel_request')).toMatchObject({
      params: { requestId: id },
    })
    expect(await turn).toMatchObject({ result: { stopReason: 'end_turn' } })
  })
})

describe('a client that sends rubbish', () => {
  it('gets errors, and goes on', async () => {
    await using place = testPlace()
    await using client = rawClient(place.start())
    expect(await client.ask('session/new', { cwd: place.cwd, mcpServers: [] })).toMatchObject({
      error: { code: -32600 },
    })
    const sessionId = await client.open(place.cwd)
    expect(await client.ask('no/such', {})).toMatchObject({ error: { code: -32601 } })
    expect(await client.ask('session/new', { cwd: 3 })).toMatchObject({ error: { code: -32602 } })
    const prompt = (blocks: unknown) => client.ask('session/prompt', { sessionId, prompt: blocks })
    expect(await prompt('text')).toMatchObject({ error: { code: -32602 } })
    expect(await prompt([{ type: 'audio', data: '', mimeType: 'audio/wav' }])).toMatchObject({
      error: { code: -32602 },
    })
    expect(await client.ask('session/set_mode', { sessionId: 'x', modeId: 'ask' })).toMatchObject({
      error: { code: -32002 },
    })
    client.send({ id: 'never asked', result: {} })
    client.send({ method: 'session/cancel', params: { sessionId: 'x' } })
    client.send({ method: 'session/cancel', params: 'x' })
    expect(await prompt([{ type: 'text', text: 'go' }])).toMatchObject({ result: { stopReason: 'end_turn' } })
  })

  it('is broken off when it has more than a thousand requests without reading an answer', async () => {
    await using place = testPlace()
    const blocked = Promise.withResolvers<void>()
    await using client = rawClient(place.start(), blocked.promise)
    for (let id = 0; id < 1_100; id++) client.send({ id, method: 'session/list', params: {} })
    await client.served
    expect(client.received).toEqual([])
    blocked.resolve()
  })
})
