import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../support/test-server.ts'

describe('an answer that the provider pauses', () => {
  it('goes on with a further request, which holds what came so far', async () => {
    await using place = testPlace()
    const model = scriptedModel({ text: 'Searching.', stop: 'paused' }, { text: 'Found.' })
    const { watched } = await place.talk({ model })
    await watched.send('go')
    await watched.turnEnded()
    expect(model.requests).toHaveLength(2)
    expect(model.requests[1]?.entries.at(-1)).toMatchObject({ kind: 'response', text: 'Searching.' })
    expect(watched.state.core.lastTurn).toMatchObject({ outcome: 'completed', stopReason: 'done' })
    expect(watched.items().flatMap((item) => (item.type === 'agentMessage' ? [item.text] : []))).toEqual([
      'Searching.',
      'Found.',
    ])
  })

  it('ends the turn when there is no end of it', async () => {
    await using place = testPlace()
    const model = scriptedModel(...Array.from({ length: 30 }, () => ({ text: 'On.', stop: 'paused' }) as const))
    const { watched } = await place.talk({ model })
    await watched.send('go')
    await watched.turnEnded()
    expect(model.requests).toHaveLength(20)
    expect(watched.state.core.lastTurn).toMatchObject({ outcome: 'failed', failure: { code: 'pausedTooOften' } })
  })
})
