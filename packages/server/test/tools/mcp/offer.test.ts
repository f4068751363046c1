import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import type { ModelRequest } from '@parley/models'
import { waitUntil } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { calling, mcpPlace, serverIn } from './support/mcp-place.ts'

const free = { sandbox: 'danger-full-access' } as const
const mcpTools = (request: ModelRequest | undefined) =>
  (request?.tools ?? []).filter(({ name }) => name.startsWith('mcp__')).map(({ name }) => name)

describe('the tools offered from MCP servers', () => {
  it('are all named tools with unchanged schemas, recorded in the log', async () => {
    await using place = mcpPlace()
    place.configure('ugly', 'plain')
    const model = scriptedModel()
    const { watched, client, summary } = await place.talkTo(model)
    await watched.send('hi')
    await watched.turnEnded()
    const offered = model.requests[0]?.tools.find(({ name }) => name === 'mcp__ugly__echo')
    expect(offered).toMatchObject({
      description: 'Does echo.',
      parameters: { type: 'object', properties: { bytes: { type: 'integer' } }, additionalProperties: true },
    })
    const { tools = '' } = watched.state.core.context ?? {}
    const file = await client.request('conversation/readFile', { conversationId: summary.conversationId, file: tools })
    expect(Buffer.from(file.base64, 'base64').toString()).toContain('"mcp":{"server":"ugly","tool":"echo"}')
  })

  it('can be 200 with names that providers reject, each callable', async () => {
    await using place = mcpPlace()
    place.configure('ugly', 'many')
    const model = scriptedModel(({ tools }) => {
      const name = tools.findLast((tool) => /__199_?|_[0-9a-f]{8}$/.test(tool.name))?.name ?? ''
      return { calls: [{ name, args: {} }] }
    })
    const { watched } = await place.talkTo(model, free)
    await watched.send('hi')
    await watched.turnEnded()
    const names = mcpTools(model.requests[0])
    expect(names).toHaveLength(200)
    expect(new Set(names).size).toBe(200)
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
    expect(model.requests[1]?.entries.at(-1)).toMatchObject({
      isError: false,
      text: expect.stringMatching(/^(tool\.with spaces\/and ünïcode ){3}\d+$/),
    })
  })

  it('are limited to those that the config allows', async () => {
    await using place = mcpPlace()
    place.configure('ugly', 'plain', 'enabled_tools = ["echo", "fail"]\ndisabled_tools = ["fail"]')
    const model = scriptedModel()
    const { watched } = await place.talkTo(model)
    await watched.send('hi')
    await watched.turnEnded()
    expect(mcpTools(model.requests[0])).toEqual(['mcp__ugly__echo'])
  })

  it("change in the next turn after the server's notification", async () => {
    await using place = mcpPlace()
    place.configure('ugly', 'plain')
    const model = scriptedModel(calling('grow'), { text: 'grown' }, { text: 'seen' })
    const talk = await place.talkTo(model, free)
    await talk.watched.send('go')
    await talk.watched.turnEnded()
    await waitUntil(async () => (await serverIn(talk, 'ready')).tools.includes('grown'), { what: 'the new tool' })
    await talk.watched.send('again')
    await talk.watched.until(() => model.requests[2])
    await talk.watched.turnEnded()
    expect(mcpTools(model.requests[1])).not.toContain('mcp__ugly__grown')
    expect(mcpTools(model.requests[2])).toContain('mcp__ugly__grown')
    expect(talk.watched.story().filter((line) => line === 'context.set')).toHaveLength(2)
  })

  it("are not waited for twice; a late server's are offered in the next turn", async () => {
    await using place = mcpPlace()
    place.configure('ugly', 'late')
    const model = scriptedModel({ text: 'one' }, { text: 'two' })
    const mcpPatience = { firstRequestMs: 20, restartDelaysMs: [] }
    const talk = await place.talk({ model, mcpPatience })
    await talk.watched.send('hi')
    await talk.watched.turnEnded()
    place.write('ready', '')
    await serverIn(talk, 'ready')
    await talk.watched.send('again')
    await talk.watched.until(() => model.requests[1])
    expect(mcpTools(model.requests[0])).toEqual([])
    expect(mcpTools(model.requests[1])).toContain('mcp__ugly__echo')
  })

  it('are waited for no longer than the turn lasts', async () => {
    await using place = mcpPlace()
    place.configure('ugly', 'silent', 'startup_timeout_sec = 3600')
    const model = scriptedModel()
    const { watched, client, summary } = await place.talk({
      model,
      mcpPatience: { firstRequestMs: 3_600_000, restartDelaysMs: [] },
    })
    await watched.send('hi')
    await client.request('conversation/interrupt', { conversationId: summary.conversationId })
    await watched.turnEnded()
    expect(model.requests).toEqual([])
  })

  it('are called by the log after a restart, with the earlier approval', async () => {
    await using place = mcpPlace()
    place.configure('ugly', 'plain')
    const first = await place.talkTo(scriptedModel(calling('echo', { kept: true })))
    const { conversationId } = first.summary
    await first.watched.send('go')
    await first.watched.approval()
    await first.server.close()
    const model = scriptedModel({ text: 'done' })
    const server = place.start({ model })
    const client = await server.connect()
    await client.request('conversation/resume', { conversationId })
    const watched = await client.watch(conversationId)
    expect(await watched.approval()).toMatchObject({ kind: 'mcpTool', title: 'ugly: echo' })
    await watched.decide('approved')
    await watched.turnEnded()
    expect(model.requests[0]?.entries.at(-1)).toMatchObject({ kind: 'result', text: '{"kept":true}' })
  })

  it('need a new approval when another program would run', async () => {
    await using place = mcpPlace()
    place.configure('ugly', 'plain')
    const first = await place.talkTo(scriptedModel(calling('echo')))
    const { conversationId } = first.summary
    await first.watched.send('go')
    await first.watched.approval()
    await first.server.close()
    const model = scriptedModel({ text: 'done' })
    const client = await place.start({ model }).connect()
    await client.request('conversation/resume', {
      conversationId,
      overrides: { config: { 'mcp_servers.ugly.command': '/bin/false' } },
    })
    const watched = await client.watch(conversationId)
    const { id } = await watched.approval()
    await watched.decide('approved')
    const again = await watched.until(({ core }) => Object.values(core.approvals).find((known) => known.id !== id))
    expect(again).toMatchObject({ state: 'pending', reason: expect.stringContaining('has changed since the yes') })
  })
})

describe('rules about MCP tools', () => {
  it.each([
    ['allow', 'ugly/echo', 'execution.started by rule:mcp ugly/echo'],
    ['deny', 'ugly/*', 'item.completed mcp__ugly__echo denied'],
  ])('%s by server and tool', async (decision, pattern, line) => {
    await using place = mcpPlace()
    place.configure('ugly', 'plain')
    place.write('../.parley/policy.toml', `[[rule]]\ndecision = "${decision}"\nmcp = "${pattern}"\n`)
    const { watched } = await place.talkTo(scriptedModel(calling('echo')))
    await watched.send('go')
    await watched.turnEnded()
    expect(watched.story()).toContain(line)
  })

  it('are required under the approval policy never', async () => {
    await using place = mcpPlace()
    place.configure('ugly', 'plain')
    const { watched } = await place.talkTo(scriptedModel(calling('echo')), { approvalPolicy: 'never' })
    await watched.send('go')
    await watched.turnEnded()
    expect(watched.items().find(({ type }) => type === 'toolCall')).toMatchObject({
      status: 'denied',
      decision: { verdict: 'deny', code: 'policyNever' },
    })
    expect(place.diary('ugly').map(({ method }) => method)).not.toContain('tools/call')
  })
})
