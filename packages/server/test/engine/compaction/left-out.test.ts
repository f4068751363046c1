import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../support/test-server.ts'

describe('a copy with a summary of what it leaves out', () => {
  it('tells the model and the people what was left out, in an event of its own that is replayed', async () => {
    await using place = testPlace()
    const model = scriptedModel(
      { text: 'First answer.' },
      { text: 'A wrong way.' },
      { text: 'It led nowhere.' },
      { text: '', usage: { inputTokens: 30 } },
      { text: 'SUMMARY: the wrong way led nowhere.', usage: { inputTokens: 40, outputTokens: 2 } },
      { text: 'Now right.' },
    )
    const { client, summary, watched } = await place.talk({ model })
    const { conversationId } = summary
    for (const text of ['begin', 'try the wrong way', 'and then?']) {
      await watched.send(text)
      await watched.turnEnded()
    }
    const before = place.logLines(conversationId).length
    const at = watched.items().find(({ text }) => text === 'First answer.')
    const seq = watched.state.window.find(({ item }) => item === at)?.seq ?? 0
    const end = watched.state.window.find(({ seq: one }) => one > seq)?.seq ?? 0
    const copy = await client.request('conversation/fork', { conversationId, at: end - 2, summary: true })
    expect(place.logLines(conversationId)).toHaveLength(before)
    const asked = model.requests.at(-1)
    expect(JSON.stringify(asked?.entries)).toContain('It led nowhere.')
    expect(asked?.entries.at(-1)).toMatchObject({ kind: 'user' })
    expect(JSON.stringify(asked?.entries.at(-1))).toContain('try the wrong way')
    const there = await client.watch(copy.conversationId)
    expect(there.items().at(-1)).toMatchObject({
      type: 'contextCompaction',
      status: 'completed',
      text: 'SUMMARY: the wrong way led nowhere.',
      leftOut: { from: end - 1, to: watched.state.core.seq },
    })
    expect(there.state.core.usage).toMatchObject({ total: { inputTokens: 70, outputTokens: 2 }, calls: 3 })
    await there.send('go on')
    await there.turnEnded()
    const told = JSON.stringify(model.requests.at(-1)?.entries)
    expect(told).toContain('SUMMARY: the wrong way led nowhere.')
    expect(told).toContain('First answer.')
    expect(told).not.toContain('It led nowhere.')
    expect(await client.request('replay/run', { conversation: copy.conversationId })).toMatchObject({
      difference: null,
    })
    // A copy of the copy from before the summary is as if it had never been written.
    const undone = await client.request('conversation/fork', { conversationId: copy.conversationId, at: end - 2 })
    const plain = await client.watch(undone.conversationId)
    expect(plain.items().some(({ type }) => type === 'contextCompaction')).toBe(false)
  })

  it('is not made where there is no summary: nothing was left out, or the model writes nothing', async () => {
    await using place = testPlace()
    const model = scriptedModel({ text: 'One.' }, { text: '' }, { text: '' }, { text: '' })
    const { client, summary, watched } = await place.talk({ model })
    const { conversationId } = summary
    await watched.send('begin')
    await watched.turnEnded()
    const refused = async (at: number) => client.refused('conversation/fork', { conversationId, at, summary: true })
    expect(await refused(watched.state.core.seq)).toMatchObject({ code: 'invalidParams' })
    expect(await refused(1)).toMatchObject({ code: 'noSummary' })
    expect((await client.request('conversation/list', {})).conversations).toHaveLength(1)
  })
})
