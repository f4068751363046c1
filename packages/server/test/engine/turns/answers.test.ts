import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../support/test-server.ts'

describe('a turn without calls', () => {
  it('records its events from start to end', async () => {
    await using place = testPlace()
    const { watched } = await place.talk({ model: scriptedModel({ text: ['Hel', 'lo'] }) })
    await watched.send('hi')
    await watched.turnEnded()
    expect(watched.story()).toMatchInlineSnapshot(`
      [
        "conversation.created",
        "turn.started message",
        "item.completed userMessage completed",
        "context.set",
        "model.requested 1",
        "item.started agentMessage inProgress",
        "item.completed agentMessage completed",
        "usage.updated",
        "model.responded",
        "turn.ended completed",
      ]
    `)
  })

  it('streams text and completes the item with the whole text', async () => {
    await using place = testPlace()
    const gate = Promise.withResolvers<void>()
    const { watched } = await place.talk({ model: scriptedModel({ text: ['Hel', 'lo'], gate: gate.promise }) })
    await watched.send('hi')
    const open = await watched.until(({ core }) => Object.values(core.open).find(({ item }) => item.text === 'Hello'))
    expect(open.item).toMatchObject({ type: 'agentMessage', status: 'inProgress' })
    gate.resolve()
    await watched.turnEnded()
    expect(watched.items().at(-1)).toMatchObject({ type: 'agentMessage', status: 'completed', text: 'Hello' })
  })

  it('records reasoning and message as separate items', async () => {
    await using place = testPlace()
    const { watched } = await place.talk({ model: scriptedModel({ reasoning: 'hm', text: 'Hello' }) })
    await watched.send('hi')
    await watched.turnEnded()
    expect(watched.items().map(({ type, text }) => [type, text])).toEqual([
      ['userMessage', 'hi'],
      ['reasoning', 'hm'],
      ['agentMessage', 'Hello'],
    ])
  })

  it.each([
    ['length', 'outputLimit'],
    ['filter', 'filtered'],
  ] as const)('fails with the reason when the answer is cut: %s', async (stop, reason) => {
    await using place = testPlace()
    const { watched } = await place.talk({ model: scriptedModel({ text: 'Hel', stop }) })
    await watched.send('hi')
    await watched.turnEnded()
    const { lastTurn } = watched.state.core
    expect(lastTurn).toMatchObject({ outcome: 'failed', stopReason: reason, failure: { code: reason } })
    expect(watched.items().slice(-2)).toMatchObject([
      { type: 'agentMessage', text: 'Hel' },
      { type: 'notice', code: reason, level: 'error', title: lastTurn?.failure?.message },
    ])
  })

  it('says the words of a provider that stopped the answer, with calls and without', async () => {
    await using place = testPlace()
    const why = 'Category: cyber. Model to use: m2.'
    const calls = [{ name: 'list_dir', args: {} }]
    const model = scriptedModel({ calls, stop: 'filter', why }, { text: 'Hel', stop: 'filter', why }, { text: 'Hello' })
    const { watched } = await place.talk({ model })
    await watched.send('hi')
    await watched.turnEnded()
    const notices = watched.items().filter(({ type }) => type === 'notice')
    expect(notices.map(({ title }) => title)).toEqual([
      `The answer ends here because the provider's content filter stopped it. It said: ${why}`,
      `The answer is cut: the provider's content filter stopped it. It said: ${why} Ask in other words.`,
    ])
    expect(watched.state.core.lastTurn?.failure?.message).toBe(notices[1]?.title)
    await watched.send('again')
    await watched.turnEnded()
    expect(watched.state.core.lastTurn).toMatchObject({ outcome: 'completed', failure: null })
  })

  it('goes on after a cut response that has calls, with a warning', async () => {
    await using place = testPlace()
    const model = scriptedModel({ calls: [{ name: 'list_dir', args: {} }], stop: 'length' }, { text: 'Hello' })
    const { watched } = await place.talk({ model })
    await watched.send('hi')
    await watched.turnEnded()
    expect(watched.items().map((item) => ('code' in item ? item.code : item.type))).toContain('outputLimit')
    expect(watched.state.core.lastTurn).toMatchObject({ outcome: 'completed', stopReason: 'done' })
  })

  it('goes on with the cut text in the next request', async () => {
    await using place = testPlace()
    const model = scriptedModel({ text: 'Hel', stop: 'length' }, { text: 'lo' })
    const { watched } = await place.talk({ model })
    await watched.send('hi')
    await watched.turnEnded()
    await watched.send('go on')
    await watched.turnEnded()
    expect(model.requests.at(-1)?.entries.slice(-2)).toMatchObject([
      { kind: 'response', text: 'Hel' },
      { kind: 'user' },
    ])
    expect(watched.state.core.lastTurn).toMatchObject({ outcome: 'completed', stopReason: 'done' })
  })

  it('ends when the answer is empty', async () => {
    await using place = testPlace()
    const { watched } = await place.talk({ model: scriptedModel({ text: '' }) })
    await watched.send('hi')
    await watched.turnEnded()
    expect(watched.items().map(({ type }) => type)).toEqual(['userMessage'])
  })
})

describe('usage', () => {
  it('is summed per turn and per conversation', async () => {
    await using place = testPlace()
    const model = scriptedModel(
      { calls: [{ name: 'list_dir', args: {} }], usage: { inputTokens: 10, outputTokens: 2 } },
      { text: 'a', usage: { inputTokens: 20, cachedInputTokens: 10, outputTokens: 3 } },
      { text: 'b', usage: { inputTokens: 30, outputTokens: 4, reasoningTokens: 1 } },
    )
    const { watched } = await place.talk({ model })
    await watched.send('one')
    await watched.turnEnded()
    expect(watched.state.core.lastTurn?.usage).toMatchObject({
      inputTokens: 30,
      cachedInputTokens: 10,
      outputTokens: 5,
    })
    await watched.send('two')
    await watched.turnEnded()
    const { total, last, contextWindow } = watched.state.core.usage
    expect(total).toEqual({ inputTokens: 60, cachedInputTokens: 10, outputTokens: 9, reasoningTokens: 1 })
    expect(last).toMatchObject({ inputTokens: 30, outputTokens: 4 })
    expect(contextWindow).toBe(1000)
  })

  it('has the cost of each call at the price of the time', async () => {
    await using place = testPlace()
    const usage = { inputTokens: 1000, cachedInputTokens: 600, outputTokens: 100 }
    const model = scriptedModel({ calls: [{ name: 'list_dir', args: {} }], usage }, { text: 'a', usage })
    const price = { input: 2, cachedInput: 0.5, output: 10 }
    const { watched } = await place.talk({ model, facts: { price } })
    await watched.send('one')
    await watched.turnEnded()
    expect(watched.state.core.usage.last?.costUsd).toBe(0.0021)
    expect(watched.state.core.lastTurn?.usage).toMatchObject({ inputTokens: 2000, costUsd: 0.0042 })
    expect(watched.state.core.usage.total).not.toHaveProperty('isPartCost')
  })
})
