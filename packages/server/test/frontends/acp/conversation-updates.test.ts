import { methods, type SessionUpdate } from '@agentclientprotocol/sdk'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { smallPng } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { type TestServer, testPlace } from '../../engine/support/test-server.ts'
import { type Editor, openEditor } from './editor.ts'

const shell = (command: string) => ({ calls: [{ name: 'shell', args: { command } }] })
const terminals = { _meta: { terminal_output: true } }

const callsOf = ({ updates }: Editor) =>
  updates.filter((one) => one.sessionUpdate === 'tool_call' || one.sessionUpdate === 'tool_call_update')

const metaOf = ({ _meta }: SessionUpdate) => (_meta ?? {}) as Record<string, Record<string, unknown> | undefined>

/** Joined output that was sent to terminals. */
const outputOf = (editor: Editor) =>
  callsOf(editor)
    .map((update) => metaOf(update)['terminal_output']?.['data'] ?? '')
    .join('')

describe('a command in an editor that shows terminals of others', () => {
  it('has one with its output and end, and runs here', async () => {
    await using place = testPlace()
    const model = scriptedModel(shell('echo one; echo two; exit 3'))
    await using editor = await openEditor(place.start({ model }), { capabilities: { ...terminals, terminal: true } })
    const { sessionId } = await editor.open(place.cwd)
    await editor.say(sessionId, 'go')
    const [first] = callsOf(editor)
    const last = callsOf(editor).at(-1)
    if (first?.sessionUpdate !== 'tool_call' || last === undefined) throw new Error('no call')
    const terminalId = first.toolCallId
    expect(first).toMatchObject({ content: [{ type: 'terminal', terminalId }] })
    expect(metaOf(first)['terminal_info']).toEqual({ terminal_id: terminalId, cwd: place.cwd })
    expect(outputOf(editor)).toBe('one\ntwo\n')
    expect(metaOf(last)['terminal_exit']).toEqual({ terminal_id: terminalId, exit_code: 3, signal: null })
    expect(last).toMatchObject({ content: [{ type: 'terminal', terminalId }] })
  })

  it('gets the beginning and the end of a long output', async () => {
    await using place = testPlace()
    const model = scriptedModel(shell('seq 1 100000'))
    await using editor = await openEditor(place.start({ model }), { capabilities: terminals })
    const { sessionId } = await editor.open(place.cwd)
    await editor.say(sessionId, 'go')
    const output = outputOf(editor)
    expect(output.startsWith('1\n2\n')).toBe(true)
    expect(output.endsWith('99999\n100000\n')).toBe(true)
    expect(output.length).toBeLessThan(200_000)
  })

  it('is shown with its output when the session is loaded', async () => {
    await using place = testPlace()
    const server = place.start({ model: scriptedModel(shell('echo kept')) })
    await using first = await openEditor(server)
    const { sessionId } = await first.open(place.cwd)
    await first.say(sessionId, 'go')
    expect(JSON.stringify(callsOf(first).at(-1))).toContain('kept')
    expect(callsOf(first).map(metaOf)).toEqual(callsOf(first).map(() => ({})))
    await using editor = await openEditor(server, { capabilities: terminals })
    await editor.agent.request(methods.agent.session.load, { sessionId, cwd: place.cwd, mcpServers: [] })
    expect(outputOf(editor)).toBe('kept\n')
  })
})

describe('a command in an editor without such terminals', () => {
  it('shows its newest lines while it runs, and then all of its output', async () => {
    await using place = testPlace()
    const model = scriptedModel(shell('seq 1 5000; until [ -e go ]; do sleep 0.02; done; echo end'))
    await using editor = await openEditor(place.start({ model }))
    const { sessionId } = await editor.open(place.cwd)
    const turn = editor.say(sessionId, 'go')
    const { content } = await editor.until('tool_call_update', (update) =>
      JSON.stringify(update).includes('5000\\n```'),
    )
    expect(JSON.stringify(content).length).toBeLessThan(4_000)
    place.write('go', '')
    await turn
    const last = JSON.stringify(callsOf(editor).at(-1))
    expect(last).toContain('1\\n2\\n3')
    expect(last).toContain('5000\\nend')
  })
})

describe('a picture that the model makes', () => {
  it('is shown as an image with a text, also when the session is loaded', async () => {
    await using place = testPlace()
    const data = smallPng.toString('base64')
    const server = place.start({ model: scriptedModel({ picture: data, text: 'Here.' }) })
    await using first = await openEditor(server)
    const { sessionId } = await first.open(place.cwd)
    await first.say(sessionId, 'draw')
    await using later = await openEditor(server)
    await later.agent.request(methods.agent.session.load, { sessionId, cwd: place.cwd, mcpServers: [] })
    for (const editor of [first, later]) {
      const contents = editor.updates.flatMap((one) =>
        one.sessionUpdate === 'agent_message_chunk' ? [one.content] : [],
      )
      expect(contents.filter(({ type }) => type === 'image')).toEqual([{ type: 'image', data, mimeType: 'image/png' }])
      expect(contents[0]).toMatchObject({ text: expect.stringContaining('(Picture: image/png') })
      expect(contents.at(-1)).toEqual({ type: 'text', text: 'Here.' })
    }
  })
})

describe('a session that is opened while a turn runs', () => {
  it('shows the text so far once, and what follows', async () => {
    await using place = testPlace()
    const gate = Promise.withResolvers<void>()
    const model = scriptedModel({ text: ['half ', 'of ', 'it'], gate: gate.promise })
    const server = place.start({ model })
    await using first = await openEditor(server)
    const { sessionId } = await first.open(place.cwd)
    const turn = first.say(sessionId, 'go')
    await expect.poll(() => first.said()).toBe('half of it')
    await using second = await openEditor(server)
    await second.agent.request(methods.agent.session.resume, { sessionId, cwd: place.cwd, mcpServers: [] })
    await expect.poll(() => second.said()).toBe('half of it')
    gate.resolve()
    await turn
    await second.say(sessionId, 'and')
    expect(second.said()).toBe('half of itdone')
  })
})

describe('a client that does not read', () => {
  const long = Array.from({ length: 200 }, (_, index) => `${index} `.repeat(200))

  /** Opens an editor that reads nothing of an answer before `read` is called. */
  async function openSlowEditor(server: TestServer) {
    const reading = Promise.withResolvers<void>()
    const editor = await openEditor(server, {
      beforeReading: (message) =>
        JSON.stringify(message).includes('agent_message_chunk') ? reading.promise : undefined,
    })
    return { editor, read: reading.resolve }
  }

  it('holds up neither the turn nor other clients, and gets everything later', async () => {
    await using place = testPlace()
    const server = place.start({ model: scriptedModel({ text: long }) })
    const { editor, read } = await openSlowEditor(server)
    await using _editor = editor
    const { sessionId } = await editor.open(place.cwd)
    const watched = await (await server.connect('terminal')).watch(sessionId)
    const turn = editor.say(sessionId, 'go')
    await watched.turnEnded()
    expect(editor.said().length).toBeLessThan(long.join('').length)
    read()
    expect(await turn).toBe('end_turn')
    expect(editor.said()).toBe(long.join(''))
  })

  it('gets everything before the error of a turn that failed', async () => {
    await using place = testPlace()
    const failure = { code: 'responseTooLarge', message: 'It grew too large.', retry: 'never' } as const
    const server = place.start({ model: scriptedModel({ text: long, failure }) })
    const { editor, read } = await openSlowEditor(server)
    await using _editor = editor
    const { sessionId } = await editor.open(place.cwd)
    const watched = await (await server.connect('terminal')).watch(sessionId)
    const told = editor.say(sessionId, 'go').then(String, ({ message }) => `${editor.said()} ${message}`)
    await watched.turnEnded()
    read()
    expect(await told).toMatch(/^0 0 [^(]*\*\(It grew too large\.\)\*\s+It grew too large\.$/)
  })

  it('is told of a failure once, by the error of its prompt, and of that of another client by a message', async () => {
    await using place = testPlace()
    const failure = { code: 'auth', message: 'The key is refused.', retry: 'never' } as const
    const server = place.start({ model: scriptedModel({ failure }, { failure }) })
    await using editor = await openEditor(server)
    const { sessionId } = await editor.open(place.cwd)
    const message = await editor.say(sessionId, 'go').then(String, (error) => error.message)
    expect([message, editor.said()]).toEqual([failure.message, ''])
    const watched = await (await server.connect('terminal')).watch(sessionId)
    await watched.send('and again')
    await watched.turnEnded()
    await expect.poll(() => editor.said()).toContain(failure.message)
  })

  it('gets everything before a prompt that it cancels has ended', async () => {
    await using place = testPlace()
    const server = place.start({ model: scriptedModel({ text: long, hang: true }) })
    const { editor, read } = await openSlowEditor(server)
    await using _editor = editor
    const { sessionId } = await editor.open(place.cwd)
    const watched = await (await server.connect('terminal')).watch(sessionId)
    const turn = editor.say(sessionId, 'go').then((reason) => [reason, editor.said()])
    await watched.until((_state, events) => events.find(({ event }) => event.type === 'item.delta'))
    await editor.agent.notify(methods.agent.session.cancel, { sessionId })
    await watched.turnEnded()
    read()
    const answer = watched.items().find(({ type }) => type === 'agentMessage')
    expect(await turn).toEqual(['cancelled', answer?.text])
  })
})
