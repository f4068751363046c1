import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { testClock } from '@parley/engine/test/support/test-clock.ts'
import { slowSyncMs } from '@parley/journal'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../support/test-server.ts'

describe('a model call that fails', () => {
  it('is tried again after a wait whose end every client knows', async () => {
    await using place = testPlace()
    const clock = testClock()
    const failure = {
      code: 'rateLimited',
      message: 'Slow down.',
      retry: 'long',
      retryAfterMs: 2000,
      status: 429,
    } as const
    const { watched } = await place.talk({ clock, model: scriptedModel({ failure }, { text: 'ok' }) })
    await watched.send('go')
    await watched.turnEnded()
    const [retry] = watched.events.flatMap(({ at, event }) => (event.type === 'retry.scheduled' ? [{ at, event }] : []))
    expect(retry?.event).toMatchObject({
      attempt: 2,
      attempts: expect.any(Number),
      failure: { code: 'rateLimited', message: 'Slow down.', status: 429 },
    })
    // The time after which a sync counts as slow is asked for beside it.
    expect(clock.sleeps.filter((delayMs) => delayMs !== slowSyncMs)).toEqual([2100])
    expect((retry?.event.retryAt ?? 0) - (retry?.at ?? 0)).toBeGreaterThan(2000)
    expect(watched.story().slice(4)).toMatchInlineSnapshot(`
      [
        "model.requested 1",
        "retry.scheduled 2 rateLimited",
        "model.requested 2",
        "item.started agentMessage inProgress",
        "item.completed agentMessage completed",
        "usage.updated",
        "model.responded",
        "turn.ended completed",
      ]
    `)
  })

  it('ends the turn as failed when a retry cannot help', async () => {
    await using place = testPlace()
    const failure = { code: 'auth', message: 'The key was refused.', retry: 'never' } as const
    const { watched } = await place.talk({ model: scriptedModel({ failure }) })
    await watched.send('go')
    await watched.turnEnded()
    expect(watched.state.core.lastTurn).toMatchObject({ outcome: 'failed', failure: { code: 'auth' } })
    expect(watched.items().at(-1)).toMatchObject({
      type: 'notice',
      level: 'error',
      code: 'auth',
      title: 'The key was refused.',
    })
  })

  it('ends the turn as failed after its last try', async () => {
    await using place = testPlace()
    const failure = { code: 'overloaded', retry: 'short' } as const
    const model = scriptedModel({ failure }, { failure }, { failure }, { text: 'ok' })
    const { watched } = await place.talk({ clock: testClock(), model })
    await watched.send('go')
    await watched.turnEnded()
    expect(watched.story().slice(4)).toMatchInlineSnapshot(`
      [
        "model.requested 1",
        "retry.scheduled 2 overloaded",
        "model.requested 2",
        "retry.scheduled 3 overloaded",
        "model.requested 3",
        "item.completed notice:overloaded completed",
        "turn.ended failed overloaded",
      ]
    `)
    await watched.send('again')
    await watched.turnEnded()
    expect(watched.state.core.lastTurn).toMatchObject({ outcome: 'completed' })
  })

  it('discards its open items, and the next request has the answer once', async () => {
    await using place = testPlace()
    const model = scriptedModel(
      { reasoning: 'hm', text: 'The answer is', calls: [{ name: 'list_dir', args: {} }], failure: {} },
      { text: 'The answer is 42.' },
      { text: 'ok' },
    )
    const { watched } = await place.talk({ clock: testClock(), model })
    await watched.send('go')
    await watched.turnEnded()
    expect(watched.story().slice(4)).toMatchInlineSnapshot(`
      [
        "model.requested 1",
        "item.started reasoning inProgress",
        "item.completed reasoning completed",
        "item.started agentMessage inProgress",
        "item.started list_dir proposed",
        "item.discarded",
        "item.discarded",
        "retry.scheduled 2 streamCut",
        "model.requested 2",
        "item.started agentMessage inProgress",
        "item.completed agentMessage completed",
        "usage.updated",
        "model.responded",
        "turn.ended completed",
      ]
    `)
    const spoken = watched.items().flatMap(({ type, text }) => (type === 'agentMessage' ? [text] : []))
    expect(spoken).toEqual(['The answer is 42.'])
    await watched.send('and?')
    await watched.turnEnded()
    const answers = model.requests[2]?.entries.flatMap((entry) => (entry.kind === 'response' ? [entry.text] : []))
    expect(answers).toEqual(['The answer is 42.'])
  })

  it('is retried with a model that was chosen during the wait', async () => {
    await using place = testPlace()
    const other = scriptedModel({ text: 'from the other' })
    const clock = testClock()
    const failing = scriptedModel(async () => {
      await client.request('conversation/configure', {
        conversationId: watched.conversationId,
        settings: { model: 'm2', modelProvider: 'other' },
      })
      return { failure: {} }
    })
    const { watched, client } = await place.talk({ clock, model: failing, others: { other } })
    await watched.send('go')
    await watched.turnEnded()
    expect(other.requests).toMatchObject([{ model: 'm2' }])
    expect(watched.items().at(-1)).toMatchObject({ text: 'from the other' })
  })
})
