import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../support/test-server.ts'

const look = { calls: [{ name: 'list_dir', args: {} }], usage: { inputTokens: 60, outputTokens: 40 } }
const price = { input: 10_000, output: 10_000 }

describe('the budget of a turn', () => {
  it.each([
    [{ modelCalls: 2 }, 'maxTurns', 'Stopped: 2 calls of the model were allowed.'],
    [{ tokens: 200 }, 'maxTokens', 'Stopped: 200 tokens are used, 200 were allowed.'],
    [{ costUsd: 1.5 }, 'maxCost', 'Stopped: $2 are spent, $1.5 were allowed.'],
  ])('%j lets no further model call begin', async (budget, code, message) => {
    await using place = testPlace()
    const model = scriptedModel(look, look, look)
    const { watched } = await place.talk({ model, facts: { price } })
    await watched.send('hi', { budget })
    await watched.turnEnded()
    expect(model.requests).toHaveLength(2)
    expect(watched.state.core.lastTurn).toMatchObject({
      outcome: 'failed',
      stopReason: 'budget',
      failure: { code, message },
    })
    expect(watched.items().at(-1)).toMatchObject({ type: 'notice', title: message })
  })

  it('leaves an answer that is complete alone', async () => {
    await using place = testPlace()
    const { watched } = await place.talk({ model: scriptedModel({ ...look, calls: [], text: 'fine' }) })
    await watched.send('hi', { budget: { modelCalls: 1, tokens: 10 } })
    await watched.turnEnded()
    expect(watched.state.core.lastTurn).toMatchObject({ outcome: 'completed', stopReason: 'done' })
  })

  it('is kept by a message that waits', async () => {
    await using place = testPlace()
    const gate = Promise.withResolvers<void>()
    const model = scriptedModel({ text: 'one', gate: gate.promise }, look, look)
    const { watched } = await place.talk({ model })
    await watched.send('one')
    await watched.send('two', { when: 'queue', budget: { modelCalls: 1 } })
    gate.resolve()
    await watched.turnEnded()
    await watched.turnEnded()
    expect(watched.state.core.lastTurn).toMatchObject({ failure: { code: 'maxTurns' } })
    expect(model.requests).toHaveLength(2)
  })

  it('in dollars is rejected where the price is not known', async () => {
    await using place = testPlace()
    const { client, watched } = await place.talk({ model: scriptedModel(look) })
    const input = [{ type: 'text' as const, text: 'hi' }]
    const { conversationId } = watched
    const refused = await client.refused('conversation/sendMessage', { conversationId, input, budget: { costUsd: 1 } })
    expect(refused).toMatchObject({ code: 'invalidParams', detail: { field: 'budget' } })
    expect(refused.message).toMatch(/The price of .* is not known.*\[models\./)
  })
})
