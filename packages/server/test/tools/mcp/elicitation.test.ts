import { writeFileSync } from 'node:fs'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { waitUntil } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { askedTalk } from '../../engine/support/asked-talk.ts'
import { calling, mcpPlace } from './support/mcp-place.ts'

const free = { sandbox: 'danger-full-access' } as const

/** A call that asks, up to the question. */
function asked(more = '') {
  const place = mcpPlace()
  place.configure('ugly', 'plain', more)
  const model = scriptedModel(calling('ask'), { text: 'ok' })
  return askedTalk(place, model, () => place.talkTo(model, free))
}

describe('a question of an MCP server', () => {
  it('is an approval with a form while its call runs', async () => {
    await using talk = await asked()
    expect(talk.approval).toMatchObject({
      kind: 'elicitation',
      title: 'Which branch?',
      reason: 'The MCP server "ugly" asks this while its tool runs.',
      decisions: ['approved', 'denied', 'abort'],
      answerableBy: [talk.client.clientId],
      form: { fields: [{ name: 'branch', required: true }, { name: 'count', type: 'integer' }, { name: 'tags' }] },
    })
    const { core } = talk.watched.state
    expect(core.open[talk.approval.itemId]).toMatchObject({
      executionStarted: true,
      item: { status: 'awaitingApproval' },
    })
    const [summary] = (await talk.client.request('server/diagnostics', {})).conversations
    expect(summary).toMatchObject({ activity: 'waiting' })
  })

  it('gets the answers, in the types it asked for', async () => {
    await using talk = await asked()
    await talk.client.request(
      'approval/decide',
      talk.answer('approved', { branch: 'main', count: 2, tags: ['a', 'b'] }),
    )
    await talk.watched.turnEnded()
    expect(talk.told()).toMatchObject({
      text: '{"action":"accept","content":{"branch":"main","count":2,"tags":["a","b"]}}',
    })
    expect(talk.watched.story()).toContain('approval.decided approved')
  })

  it('rejects answers that do not fit by field, and allows another try', async () => {
    await using talk = await asked()
    expect(await talk.client.refused('approval/decide', talk.answer('approved', { branch: 'x' }))).toMatchObject({
      code: 'invalidParams',
      message: 'Branch: needed: 2 characters or more.',
      detail: { field: 'answers.branch' },
    })
    await talk.client.request('approval/decide', talk.answer('approved', { branch: 'xy' }))
    await talk.watched.turnEnded()
    expect(talk.told()).toMatchObject({ text: '{"action":"accept","content":{"branch":"xy"}}' })
  })

  it('can be declined, and the call goes on', async () => {
    await using talk = await asked()
    await talk.client.request('approval/decide', talk.answer('denied'))
    await talk.watched.turnEnded()
    expect(talk.told()).toMatchObject({ text: '{"action":"decline"}' })
    expect(talk.watched.items().find(({ type }) => type === 'toolCall')).toMatchObject({ status: 'completed' })
  })

  it('is cancelled with its turn', async () => {
    await using talk = await asked()
    await talk.client.request('approval/decide', talk.answer('abort'))
    await talk.watched.turnEnded()
    expect(talk.watched.items().find(({ type }) => type === 'toolCall')).toMatchObject({ status: 'interrupted' })
    expect(talk.watched.state.core.lastTurn).toMatchObject({ outcome: 'interrupted' })
  })

  it('is withdrawn by an interrupt', async () => {
    await using talk = await asked()
    await talk.client.request('conversation/interrupt', { conversationId: talk.summary.conversationId })
    await talk.watched.turnEnded()
    expect(talk.watched.story()).toContain('approval.decided withdrawn')
    expect(talk.watched.state.core.approvals).toEqual({})
  })

  it('pauses the time limit of its call', async () => {
    await using talk = await asked('tool_timeout_sec = 0.4')
    // Longer than the limit that must not count here.
    await new Promise((resolve) => setTimeout(resolve, 500))
    await talk.client.request('approval/decide', talk.answer('approved', { branch: 'main' }))
    await talk.watched.turnEnded()
    expect(talk.told()).toMatchObject({ text: expect.stringContaining('accept') })
  })

  it('is answered once, and later clients learn by whom', async () => {
    await using talk = await asked()
    const other = await talk.server.connect('other')
    await other.watch(talk.summary.conversationId)
    await talk.client.request('approval/decide', talk.answer('denied'))
    expect(await other.refused('approval/decide', talk.answer('approved', { branch: 'main' }))).toMatchObject({
      code: 'approvalNotPending',
      detail: { decision: 'denied' },
    })
  })

  it('is withdrawn when its call ends without the answer', async () => {
    await using place = mcpPlace()
    place.configure('ugly', 'plain')
    const { watched } = await place.talkTo(scriptedModel(calling('askAndAnswer'), { text: 'ok' }), free)
    await watched.send('go')
    await watched.turnEnded()
    expect(watched.story()).toEqual(expect.arrayContaining(['approval.decided withdrawn']))
    expect(watched.items().find(({ type }) => type === 'toolCall')).toMatchObject({ status: 'completed' })
  })

  it('waits on without clients, and the next one may answer', async () => {
    await using talk = await asked()
    await talk.client.peer.close()
    const other = await talk.server.connect('other')
    await other.watch(talk.summary.conversationId)
    await other.request('approval/decide', talk.answer('approved', { branch: 'main' }))
    await waitUntil(() => talk.told(), { what: 'the next model request' })
    expect(talk.told()).toMatchObject({ text: expect.stringContaining('accept') })
  })

  it('is withdrawn when parley is closed, and its call interrupted', async () => {
    await using talk = await asked()
    await talk.server.close()
    const [withdrawn, completed] = talk.place.logLines(talk.summary.conversationId).slice(-4)
    expect(withdrawn).toContain('"decision":"withdrawn"')
    expect(completed).toMatch(/"item.completed".*"status":"interrupted"/)
  })

  it('is withdrawn after a crash, and its call ends unknown', async () => {
    await using talk = await asked()
    const { conversationId } = talk.summary
    const lines = talk.place.logLines(conversationId)
    await talk.server.close()
    writeFileSync(talk.place.path(conversationId), `${lines.join('\n')}\n`)
    const client = await talk.place.start({ model: scriptedModel() }).connect()
    await client.request('conversation/resume', { conversationId })
    const watched = await client.watch(conversationId, { seq: 0, crc: null })
    await watched.until(({ core }) => core.lastTurn)
    expect(watched.story().slice(-4)).toEqual([
      expect.stringContaining('conversation.recovered'),
      'approval.decided withdrawn',
      'item.completed mcp__ugly__ask unknown',
      'turn.ended interrupted',
    ])
  })

  it('stays with the original of a fork, where its call is unknown', async () => {
    await using talk = await asked()
    const { conversationId } = await talk.client.request('conversation/fork', {
      conversationId: talk.summary.conversationId,
    })
    const fork = await talk.client.watch(conversationId)
    expect(fork.state.core).toMatchObject({ approvals: {}, turn: null })
    expect(fork.state.window.find(({ item }) => item.type === 'toolCall')?.item).toMatchObject({ status: 'unknown' })
    expect(Object.keys(talk.watched.state.core.approvals)).toEqual([talk.approval.id])
  })

  it('is cancelled at once when no client can answer', async () => {
    await using place = mcpPlace()
    place.configure('ugly', 'plain')
    const model = scriptedModel(calling('ask'), { text: 'ok' })
    const { watched } = await place.talkTo(model, { ...free, approvalPolicy: 'never' })
    await watched.send('go')
    await watched.turnEnded()
    expect(model.requests[1]?.entries.at(-1)).toMatchObject({ text: '{"action":"cancel"}' })
    expect(watched.story().filter((line) => line.startsWith('approval'))).toEqual([])
  })
})
