import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { smallPng, waitUntil } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { calling, mcpPlace, serverIn } from './support/mcp-place.ts'

const free = { sandbox: 'danger-full-access' } as const

/** Runs a call that needs no approval, and returns its item. */
async function called(tool: string, args: unknown = {}) {
  await using place = mcpPlace()
  place.configure('ugly', 'plain')
  const model = scriptedModel(calling(tool, args), { text: 'ok' })
  const { watched } = await place.talkTo(model, free)
  await watched.send('go')
  await watched.turnEnded()
  const item = watched.items().find(({ type }) => type === 'toolCall')
  return { item, told: model.requests[1]?.entries.at(-1), story: watched.story() }
}

describe('a call of an MCP tool', () => {
  it('is sent as the model wrote it, and its text goes back to the model', async () => {
    const { item, told } = await called('echo', { deep: [1, { b: null }] })
    expect(told).toMatchObject({ kind: 'result', text: '{"deep":[1,{"b":null}]}', isError: false })
    expect(item).toMatchObject({ status: 'completed', title: 'ugly: echo', tool: 'mcp__ugly__echo' })
  })

  it('needs approval although its server calls it read-only', async () => {
    await using place = mcpPlace()
    place.configure('ugly', 'plain')
    const { watched } = await place.talkTo(scriptedModel(calling('echo', { a: 1 })))
    await watched.send('go')
    const approval = await watched.approval()
    expect(approval).toMatchObject({ kind: 'mcpTool', title: 'ugly: echo', detail: '{\n  "a": 1\n}' })
    expect(place.diary('ugly').map(({ method }) => method)).not.toContain('tools/call')
    await watched.decide('denied', 'use the other one')
    await watched.turnEnded()
    expect(place.diary('ugly').map(({ method }) => method)).not.toContain('tools/call')
  })

  it('is approved for a session with exactly its arguments', async () => {
    await using place = mcpPlace()
    place.configure('ugly', 'plain')
    const model = scriptedModel(calling('echo', { a: 1 }), calling('echo', { a: 1 }), calling('echo', { a: 2 }))
    const { watched } = await place.talkTo(model)
    await watched.send('go')
    const { forSession } = await watched.approval()
    expect(forSession).toEqual({ covers: 'exactly this call', any: 'any call of ugly/echo' })
    await watched.decide('approvedForSession')
    await watched.until((_state, events) => events.filter(({ event }) => event.type === 'approval.requested')[1])
    expect((await watched.approval()).detail).toContain('"a": 2')
    expect(model.requests).toHaveLength(3)
  })

  it('is approved for a session with any arguments by an answer of its own, and no other tool with it', async () => {
    await using place = mcpPlace()
    place.configure('ugly', 'plain')
    const model = scriptedModel(calling('echo', { a: 1 }), calling('echo', { a: 2 }), calling('structured'))
    const { client, watched } = await place.talkTo(model)
    await watched.send('go')
    const { id: approvalId } = await watched.approval()
    const { conversationId } = watched
    const answer = { conversationId, approvalId, scope: 'any' } as const
    const refused = await client.refused('approval/decide', { ...answer, decision: 'approved' })
    expect(refused).toMatchObject({ code: 'invalidParams', detail: { field: 'scope' } })
    await client.request('approval/decide', { ...answer, decision: 'approvedForSession' })
    await watched.until((_state, events) => events.filter(({ event }) => event.type === 'approval.requested')[1])
    expect((await watched.approval()).title).toBe('ugly: structured')
    expect(model.requests).toHaveLength(3)
  })

  it('is asked about again once its server describes the tool otherwise, whatever was approved for the session', async () => {
    await using place = mcpPlace()
    place.configure('ugly', 'plain')
    const steps = [calling('echo', { a: 1 }), calling('grow', { turns: true }), { text: 'grown' }]
    const model = scriptedModel(...steps, calling('echo', { a: 1 }), { text: 'seen' }, calling('echo', { a: 2 }))
    const { client, watched } = await place.talkTo(model)
    const { conversationId } = watched
    const allow = async (scope: 'any' | null) => {
      const { id: approvalId } = await watched.approval()
      const yes =
        scope === null ? { decision: 'approved' as const } : { decision: 'approvedForSession' as const, scope }
      await client.request('approval/decide', { conversationId, approvalId, ...yes })
    }
    await watched.send('go')
    await allow('any')
    await watched.until((_, events) => events.filter(({ event }) => event.type === 'approval.requested')[1])
    await allow(null)
    await watched.turnEnded()
    const hasGrown = async () => (await client.request('mcp/list', {})).servers[0]?.tools.includes('grown') === true
    await waitUntil(hasGrown, { what: 'the new list' })
    await watched.send('again')
    expect((await watched.approval()).title).toBe('ugly: echo')
    await allow('any')
    await watched.turnEnded()
    await watched.send('and again')
    await watched.until(() => (model.requests.length === 7 ? true : null))
    expect(watched.story().filter((line) => line.includes('session-grant'))).toHaveLength(1)
  })

  it('reports a failure as an error', async () => {
    const { item, told } = await called('fail')
    expect(told).toMatchObject({ text: 'Error: the disk is on fire', isError: true })
    expect(item).toMatchObject({ status: 'failed', failure: { code: 'mcpToolError', message: 'the disk is on fire' } })
  })

  it("reports the server's rejection in its words", async () => {
    const { told } = await called('refuse')
    expect(told).toMatchObject({ text: expect.stringContaining('no such luck'), isError: true })
  })

  it('with a long result is clipped for the model, and read_file has the rest', async () => {
    await using place = mcpPlace()
    place.configure('ugly', 'plain')
    const model = scriptedModel(calling('big', { bytes: 100_000 }), (request) => {
      const id = /output:(i-[0-9a-f]+)/.exec(JSON.stringify(request.entries.at(-1)))?.[1]
      return { calls: [{ name: 'read_file', args: { path: `output:${id}` } }] }
    })
    const { watched } = await place.talkTo(model, free)
    await watched.send('go')
    await watched.turnEnded()
    const texts = model.requests.map(({ entries }) => JSON.stringify(entries.at(-1)))
    expect(texts[1]).toMatch(/of 100003 bytes left out/)
    expect(texts[1]?.length).toBeLessThan(20_000)
    expect(texts[2]).toContain('0123456789')
    const item = watched.items().find(({ title }) => title === 'ugly: big')
    expect(item).toMatchObject({ output: { totalBytes: 100_003, file: expect.stringMatching(/^sha256:/) } })
  })

  it('shows progress while it runs', async () => {
    const { story, item } = await called('steps')
    expect(item).toMatchObject({ output: { head: 'both' } })
    expect(story).toContain('execution.started by builtin:full-access')
  })

  it('keeps bytes as a side file, and tells the model of what it cannot see', async () => {
    const { told } = await called('mixed')
    expect(told).toMatchObject({
      text: expect.stringMatching(
        /^\[image\/png, 5 bytes, kept as sha256:2cf2.*\]\n\[resource a: file:\/\/\/a\]\n\{"type":"hologram","depth":3\}$/,
      ),
    })
  })

  it('shows the model the images of a result, each kept once', async () => {
    const data = smallPng.toString('base64')
    const { told } = await called('picture', { data })
    const image = { type: 'image', mediaType: 'image/png', base64: data }
    expect(told).toMatchObject({ text: expect.stringContaining('two of them'), images: [image, image] })
  })

  it('says of an image of a result that is cut off that it is not shown', async () => {
    const { told } = await called('picture', { data: smallPng.subarray(0, 40).toString('base64') })
    expect(told).toMatchObject({ text: expect.stringContaining('Not shown: image 1 is cut off or damaged') })
    expect(told).not.toHaveProperty('images')
  })

  it('returns structured content as JSON', async () => {
    expect((await called('structured')).told).toMatchObject({ text: '{"sum":5}' })
  })

  it('is stopped at its time limit, and the server is notified', async () => {
    await using place = mcpPlace()
    place.configure('ugly', 'plain', 'tool_timeout_sec = 0.2')
    const model = scriptedModel(calling('slow'), { text: 'ok' })
    const { watched } = await place.talkTo(model, free)
    await watched.send('go')
    await watched.turnEnded()
    expect(model.requests[1]?.entries.at(-1)).toMatchObject({
      isError: true,
      text: expect.stringContaining('tool_timeout_sec of [mcp_servers.ugly]'),
    })
    // The turn does not wait for the server to read it.
    await waitUntil(() => place.diary('ugly').some(({ method }) => method === 'notifications/cancelled'), {
      what: 'the cancellation',
    })
  })

  it('is interrupted with its turn, and the server is notified', async () => {
    await using place = mcpPlace()
    place.configure('ugly', 'plain')
    const { watched, client, summary } = await place.talkTo(scriptedModel(calling('slow')), free)
    await watched.send('go')
    await waitUntil(() => place.diary('ugly').some(({ method }) => method === 'tools/call'), { what: 'the call' })
    await client.request('conversation/interrupt', { conversationId: summary.conversationId })
    await watched.turnEnded()
    expect(watched.items().find(({ type }) => type === 'toolCall')).toMatchObject({ status: 'interrupted' })
    await waitUntil(() => place.diary('ugly').some(({ method }) => method === 'notifications/cancelled'), {
      what: 'the cancellation',
    })
  })

  it('fails at once when its server closes its output', async () => {
    const { told } = await called('mute')
    expect(told).toMatchObject({
      isError: true,
      text: expect.stringContaining('went away while this ran: it closed its output.'),
    })
  })

  it('fails when its server is killed, and the server is restarted', async () => {
    await using place = mcpPlace()
    place.configure('ugly', 'plain')
    const model = scriptedModel(calling('die'), calling('echo', { again: true }))
    const talk = await place.talkTo(model, free)
    await talk.watched.send('go')
    await talk.watched.turnEnded()
    expect(model.requests[1]?.entries.at(-1)).toMatchObject({
      isError: true,
      text: 'The MCP server "ugly" went away while this ran: it was ended by SIGKILL. What it had done by then is unknown.',
    })
    expect(model.requests[2]?.entries.at(-1)).toMatchObject({ text: '{"again":true}' })
    expect(await serverIn(talk, 'ready')).toMatchObject({ restarts: 1 })
  })
})
