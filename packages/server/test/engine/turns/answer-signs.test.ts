import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { testClock } from '@parley/engine/test/support/test-clock.ts'
import type { ModelEvent } from '@parley/models'
import { expect, it } from 'vitest'
import { testPlace } from '../support/test-server.ts'

it('a message whose calls are being written gives signs, which no client is shown', async () => {
  await using place = testPlace()
  let elapsedMs = 0
  const clock = { ...testClock(), elapsed: () => elapsedMs }
  const model = scriptedModel()
  async function* stream(): AsyncGenerator<ModelEvent> {
    yield { type: 'textDelta', part: 't', text: 'I write it.' }
    yield { type: 'textDone', part: 't', text: 'I write it.' }
    for (let argumentBytes = 0; argumentBytes < 12; argumentBytes++) {
      elapsedMs += 1_000
      yield { type: 'callDelta', part: 'c', argumentBytes }
    }
    yield { type: 'completed', parts: [], usage: { ...noUsage }, stop: 'stop' }
  }
  const { watched } = await place.talk({ clock, model: { ...model, client: { ...model.client, stream } } })
  await watched.send('go')
  await watched.turnEnded()
  const deltas = watched.events.flatMap(({ event }) => (event.type === 'item.delta' ? [event.text] : []))
  expect(deltas).toEqual(['I write it.', '', ''])
  expect(watched.items().at(-1)).toMatchObject({ type: 'agentMessage', text: 'I write it.' })
})

const noUsage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, reasoningTokens: 0 }
