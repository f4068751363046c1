import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { waitUntil } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { calling, type McpPlace, mcpPlace, serverIn } from './support/mcp-place.ts'

const free = { sandbox: 'danger-full-access' } as const
const gone = (place: McpPlace) =>
  waitUntil(() => place.processes().length === 0, { what: 'the end of every MCP server' })

describe('an MCP server', () => {
  it('that cannot start gives a notice with the end of its stderr, and the turn goes on', async () => {
    await using place = mcpPlace()
    place.configure('ugly', 'dies')
    const talk = await place.talkTo(scriptedModel({ text: 'hello' }))
    await talk.watched.send('hi')
    await talk.watched.turnEnded()
    expect(talk.watched.items().find(({ type }) => type === 'notice')).toMatchObject({
      level: 'warning',
      code: 'mcpServerFailed',
      title: expect.stringContaining(
        '"ugly" is not available: it ended with exit code 4 (cannot find my configuration). Its log is ',
      ),
      text: 'I looked everywhere\ncannot find my configuration',
    })
    expect(await serverIn(talk, 'failed')).toMatchObject({
      tools: [],
      restarts: 0,
      stderr: 'I looked everywhere\ncannot find my configuration',
    })
  })

  it.each([
    ['command = "no-such-program-here"', 'no-such-program-here was not found on PATH'],
    ['args = ["x"]', 'exactly one of command and url'],
    ['url = "http://127.0.0.1:9/mcp"', 'fetch failed'],
    ['url = "http://127.0.0.1:9/mcp"\nbearer_token_env_var = "NOT_SET"', 'NOT_SET'],
    ['command = "true"\ncwd = "not-here"', 'is not there: it was removed or never made'],
  ])('with %s says what is wrong with that', async (section, what) => {
    await using place = mcpPlace()
    place.append(`\n[mcp_servers.odd]\n${section}\n`)
    const talk = await place.talkTo(scriptedModel())
    expect((await serverIn(talk, 'failed')).error).toContain(what)
  })

  it('that never answers is given up at its limit and leaves no process', async () => {
    await using place = mcpPlace()
    place.configure('ugly', 'silent', 'startup_timeout_sec = 0.3')
    const talk = await place.talkTo(scriptedModel())
    expect((await serverIn(talk, 'failed')).error).toBe('it did not answer in time')
    await gone(place)
  })

  it('that writes rubbish to stdout works, and its log has it', async () => {
    await using place = mcpPlace()
    place.configure('ugly', 'rubbish')
    const model = scriptedModel(calling('echo', { a: 1 }))
    const { watched } = await place.talkTo(model, free)
    await watched.send('go')
    await watched.turnEnded()
    expect(model.requests[1]?.entries.at(-1)).toMatchObject({ text: '{"a":1}' })
    expect(place.log('ugly')).toContain('[no message: Listening …]')
  })

  it('that floods stderr works, and its log stays small', async () => {
    await using place = mcpPlace()
    place.configure('ugly', 'flood')
    const model = scriptedModel(calling('echo', { a: 1 }))
    const talk = await place.talkTo(model, free)
    await talk.watched.send('go')
    await talk.watched.turnEnded()
    expect(model.requests[1]?.entries.at(-1)).toMatchObject({ text: '{"a":1}' })
    expect(place.log('ugly').length).toBeLessThan(3 << 20)
    expect((await serverIn(talk, 'ready')).stderr?.length).toBeLessThanOrEqual(4096)
  })

  it.each([
    ['huge', 'its answer has more than 8 MiB, the limit for one'],
    ['chatter', 'it sent more than 1000 notifications within a second'],
  ])('that sends too much (%s) fails the call at once, within 64 MiB', async (tool, what) => {
    await using place = mcpPlace()
    place.configure('ugly', 'plain', 'tool_timeout_sec = 3600')
    const model = scriptedModel(calling(tool, {}), { text: 'ok' })
    const talk = await place.talkTo(model, free)
    await serverIn(talk, 'ready')
    const before = process.memoryUsage().rss
    await talk.watched.send('go')
    await talk.watched.turnEnded()
    const used = process.memoryUsage().rss - before
    expect(model.requests[1]?.entries.at(-1)).toMatchObject({ text: expect.stringContaining(what) })
    expect(used / 2 ** 20).toBeLessThan(64)
  })

  it('that keeps crashing is restarted three times and then given up', async () => {
    await using place = mcpPlace()
    place.configure('ugly', 'crashes')
    const talk = await place.talkTo(scriptedModel())
    expect(await serverIn(talk, 'failed')).toMatchObject({
      restarts: 3,
      error: 'it ended with exit code 3, after 3 restarts',
    })
  })

  it('can be restarted by hand, also one that failed', async () => {
    await using place = mcpPlace()
    place.configure('ugly', 'dies')
    const talk = await place.talkTo(scriptedModel())
    await serverIn(talk, 'failed')
    await talk.client.request('mcp/restart', { name: 'ugly' })
    expect(await serverIn(talk, 'failed')).toMatchObject({ restarts: 1 })
    expect(await talk.client.refused('mcp/restart', { name: 'ugli' })).toMatchObject({
      code: 'invalidParams',
      message: 'There is no MCP server "ugli". There are: ugly.',
    })
  })

  it('is not started for a read-only client', async () => {
    await using place = mcpPlace()
    place.configure('ugly', 'plain')
    const server = place.start({ model: scriptedModel() })
    const client = await server.connect()
    const { conversationId } = await client.request('conversation/create', { cwd: place.cwd })
    const reader = await server.connect('reader', { access: 'readOnly' })
    await reader.watch(conversationId)
    const stateSeen = async () => (await reader.request('mcp/list', {})).servers[0]?.state
    expect(await stateSeen()).toBe('stopped')
    await client.watch(conversationId)
    await waitUntil(async () => (await stateSeen()) === 'ready', { what: 'its start' })
  })

  it('is started once when two clients restart it', async () => {
    await using place = mcpPlace()
    place.configure('ugly', 'plain')
    const talk = await place.talkTo(scriptedModel())
    await serverIn(talk, 'ready')
    const before = place.processes()
    const restart = () => talk.client.request('mcp/restart', { name: 'ugly' })
    await Promise.all([restart(), restart()])
    expect(await serverIn(talk, 'ready')).toMatchObject({ restarts: 1 })
    expect(place.processes()).toHaveLength(1)
    expect(place.processes()).not.toEqual(before)
  })

  it.each(['children', 'stubborn'] as const)('ends with the last conversation that uses it (%s)', async (behaviour) => {
    await using place = mcpPlace()
    place.configure('ugly', behaviour)
    const { client, summary, server } = await place.talkTo(scriptedModel())
    const other = await client.request('conversation/create', { cwd: place.cwd })
    await client.watch(other.conversationId)
    await waitUntil(async () => (await client.request('mcp/list', {})).servers[0]?.state === 'ready', {
      what: 'a start',
    })
    const running = place.processes()
    expect(running.length).toBe(behaviour === 'children' ? 2 : 1)
    await client.request('conversation/unstream', { conversationId: summary.conversationId })
    expect(place.processes()).toEqual(running)
    await client.request('conversation/unstream', { conversationId: other.conversationId })
    await gone(place)
    await server.close()
  })

  it('is neither started nor offered when it is disabled', async () => {
    await using place = mcpPlace()
    place.configure('ugly', 'plain', 'enabled = false')
    const model = scriptedModel()
    const talk = await place.talkTo(model)
    await talk.watched.send('hi')
    await talk.watched.turnEnded()
    expect(await serverIn(talk, 'stopped')).toMatchObject({ error: expect.stringContaining('enabled = false') })
    expect(place.processes()).toEqual([])
    expect(await talk.client.refused('mcp/restart', { name: 'ugly' })).toMatchObject({
      message: expect.stringContaining('switched off'),
    })
    expect(model.requests[0]?.tools.filter(({ name }) => name.startsWith('mcp__'))).toEqual([])
  })
})
