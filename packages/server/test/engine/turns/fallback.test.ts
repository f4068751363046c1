import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { testClock } from '@parley/engine/test/support/test-clock.ts'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../support/test-server.ts'

const failure = { code: 'overloaded', message: 'Busy.', retry: 'short' } as const
const config = `fallback_models = ["m2", { model = "m3", provider = "other" }]
model_provider = "fake"
model = "m1"
[model_providers.fake]
base_url = "http://127.0.0.1:9/v1"
[model_providers.other]
base_url = "http://127.0.0.1:9/v1"
`

function placeWithFallbacks() {
  const place = testPlace()
  writeFileSync(join(place.root, '.parley', 'config.toml'), config)
  return place
}

describe('a model whose retries are used up', () => {
  it('hands over to the next of fallback_models for the rest of the turn, which the transcript says', async () => {
    await using place = placeWithFallbacks()
    const call = { name: 'list_dir', args: { path: '.' } }
    const model = scriptedModel(
      { failure },
      { failure },
      { failure },
      { calls: [call] },
      { text: 'ok' },
      { text: 'ok' },
    )
    const { watched } = await place.talk({ clock: testClock(), model })
    await watched.send('go')
    await watched.turnEnded()
    expect(model.requests.map((request) => request.model)).toEqual(['m1', 'm1', 'm1', 'm2', 'm2'])
    expect(watched.items().find(({ type }) => type === 'notice')).toMatchObject({
      level: 'warning',
      code: 'modelFallback',
      title: 'Busy. m2 of fake goes on in place of m1 until this turn ends.',
    })
    await watched.send('again')
    await watched.turnEnded()
    expect(model.requests.at(-1)?.model).toBe('m1')
    expect(watched.state.core.settings.model).toBe('m1')
  })

  it('hands on from one to the next, over to another provider, and fails after the last', async () => {
    await using place = placeWithFallbacks()
    const model = scriptedModel(...Array.from({ length: 6 }, () => ({ failure })))
    const other = scriptedModel({ failure }, { failure }, { failure })
    const { watched } = await place.talk({ clock: testClock(), model, others: { other } })
    await watched.send('go')
    await watched.turnEnded()
    expect(model.requests.map((request) => request.model)).toEqual(['m1', 'm1', 'm1', 'm2', 'm2', 'm2'])
    expect(other.requests.map((request) => request.model)).toEqual(['m3', 'm3', 'm3'])
    expect(watched.state.core.lastTurn).toMatchObject({ outcome: 'failed', failure: { code: 'overloaded' } })
  })
})

describe('a wait before a retry', () => {
  it('ends at once when a client asks for it', async () => {
    await using place = testPlace()
    const model = scriptedModel({ failure: { ...failure, retry: 'long', retryAfterMs: 600_000 } }, { text: 'ok' })
    const { client, summary, watched } = await place.talk({ model })
    await watched.send('go')
    await watched.until(({ core }) => core.turn?.retry?.asked === true)
    const { conversationId } = summary
    expect(await client.request('conversation/retryNow', { conversationId })).toEqual({ retried: true })
    await watched.turnEnded()
    expect(watched.state.core.lastTurn).toMatchObject({ outcome: 'completed' })
    expect(await client.request('conversation/retryNow', { conversationId })).toEqual({ retried: false })
  })

  it.each([
    ['Slow down.', 'Slow down. It asks to wait 2 h.'],
    ['It said: Rate limit reached', 'It said: Rate limit reached. It asks to wait 2 h.'],
  ])('that the provider asks for and is too long is said after %j', async (message, said) => {
    await using place = testPlace()
    const model = scriptedModel({ failure: { ...failure, message, retryAfterMs: 7_200_000 } })
    const { watched } = await place.talk({ model })
    await watched.send('go')
    await watched.turnEnded()
    expect(watched.state.core.lastTurn?.failure?.message).toBe(said)
  })
})
