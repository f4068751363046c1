import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../../engine/support/test-server.ts'
import { openEditor } from './editor.ts'

const long = 'word '.repeat(6000)

describe('slash commands of an editor', () => {
  it('are announced after the opening', async () => {
    await using place = testPlace()
    await using editor = await openEditor(place.start())
    await editor.open(place.cwd)
    const { availableCommands } = await editor.until('available_commands_update')
    const names = availableCommands.map(({ name }) => name)
    expect(names).toEqual(['compact', 'context', 'fork', 'mcp', 'rename', 'repair', 'status'])
    expect(availableCommands.find(({ name }) => name === 'rename')).toMatchObject({ input: { hint: 'NAME' } })
  })

  it('are announced with the skills and commands of the user, which are messages', async () => {
    await using place = testPlace()
    mkdirSync(join(place.root, '.parley/prompts'))
    writeFileSync(join(place.root, '.parley/prompts/look.md'), '---\nargument-hint: WHERE\n---\nLook at $1.')
    const model = scriptedModel({ text: 'seen' })
    await using editor = await openEditor(place.start({ model }))
    const { sessionId } = await editor.open(place.cwd)
    await editor.until('available_commands_update', ({ availableCommands }) =>
      availableCommands.some(({ name, input }) => name === 'look' && input?.hint === 'WHERE'),
    )
    await editor.say(sessionId, '/look there')
    expect(JSON.stringify(model.requests[0]?.entries)).toContain('Look at there.')
  })

  it('are run without the model, and other text that begins with a slash is a message', async () => {
    await using place = testPlace()
    const model = scriptedModel({ text: 'read' })
    await using editor = await openEditor(place.start({ model }))
    const { sessionId } = await editor.open(place.cwd)
    expect(await editor.say(sessionId, '/status')).toBe('end_turn')
    expect(editor.said()).toContain('mode: edit (on-request, workspace-write')
    expect(editor.said()).toContain(`folder: ${place.cwd}`)
    expect(model.requests).toHaveLength(0)
    await editor.say(sessionId, '/usr/bin is where?')
    await editor.say(sessionId, '/nothing')
    expect(model.requests).toHaveLength(2)
  })

  it('leave out what the provider refused, and the turn goes on', async () => {
    await using place = testPlace()
    const message = 'Fake did not accept the request.'
    const failure = { code: 'invalidRequest', message, retry: 'never', status: 400, refused: [1] } as const
    const model = scriptedModel({ failure }, { text: 'without it' })
    await using editor = await openEditor(place.start({ model, facts: { contextWindow: 20_000 } }))
    const { sessionId } = await editor.open(place.cwd)
    await editor.say(sessionId, 'say MARK').catch(() => undefined)
    await editor.say(sessionId, '/repair')
    expect(editor.said()).toContain('without it')
    expect(JSON.stringify(model.requests[1]?.entries)).not.toContain('MARK')
    await editor.say(sessionId, '/repair undo')
    expect(editor.said()).toContain("What was last left out of the model's view is back")
    await expect(editor.say(sessionId, '/repair undo')).rejects.toThrow("Nothing is left out of the model's view")
  })

  it('rename, and the client learns names that others give', async () => {
    await using place = testPlace()
    const server = place.start()
    await using editor = await openEditor(server)
    const { sessionId } = await editor.open(place.cwd)
    await editor.say(sessionId, 'first words')
    await editor.until('session_info_update', ({ title }) => title === 'first words')
    await editor.say(sessionId, '/rename boat')
    await editor.until('session_info_update', ({ title }) => title === 'boat')
    const terminal = await server.connect('terminal')
    await terminal.request('conversation/rename', { conversationId: sessionId, name: 'ship' })
    expect(await editor.until('session_info_update', ({ title }) => title === 'ship')).toMatchObject({ title: 'ship' })
  })

  it('fork to a conversation that is listed beside the first', async () => {
    await using place = testPlace()
    await using editor = await openEditor(place.start())
    const { sessionId } = await editor.open(place.cwd)
    await editor.say(sessionId, 'go')
    await editor.say(sessionId, '/fork')
    const [, shortId = ''] = /parley resume (\w+)/.exec(editor.said()) ?? []
    const { sessions } = await editor.agent.request<{ sessions: { sessionId: string }[] }>('session/list', {})
    expect(sessions.map((listed) => listed.sessionId.replaceAll('-', '').slice(-8))).toContain(shortId)
    expect(sessions).toHaveLength(2)
  })

  it('compact, with the summary shown before the command ends', async () => {
    await using place = testPlace()
    const model = scriptedModel({ text: long }, { text: long }, { text: 'all of it in short' })
    await using editor = await openEditor(place.start({ model, facts: { contextWindow: 20_000 } }))
    const { sessionId } = await editor.open(place.cwd)
    await editor.say(sessionId, 'one')
    await editor.say(sessionId, 'two')
    expect(await editor.say(sessionId, '/compact the names')).toBe('end_turn')
    expect(JSON.stringify(model.requests.at(-1))).toContain('the names')
    expect(editor.said()).toContain('all of it in short')
    await editor.say(sessionId, '/compact undo')
    expect(editor.said()).toContain("What was last left out of the model's view is back")
  })

  it('end as cancelled when the client cancels one that runs', async () => {
    await using place = testPlace()
    const model = scriptedModel({ text: long }, { text: long }, { hang: true })
    await using editor = await openEditor(place.start({ model, facts: { contextWindow: 20_000 } }))
    const { sessionId } = await editor.open(place.cwd)
    await editor.say(sessionId, 'one')
    await editor.say(sessionId, 'two')
    const compacting = editor.say(sessionId, '/compact')
    await expect.poll(() => model.requests.length).toBe(3)
    await editor.agent.notify('session/cancel', { sessionId })
    expect(await compacting).toBe('cancelled')
  })
})
