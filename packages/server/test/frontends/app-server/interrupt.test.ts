import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../../engine/support/test-server.ts'
import { opened, text } from './threads.ts'

describe('an interrupt of an app-server', () => {
  it('without the id of a turn stops whatever runs, and is no error where nothing does', async () => {
    await using place = testPlace()
    const { client, threadId } = await opened(place, { model: scriptedModel({ hang: true }) })
    await using _ = client
    expect(await client.result('turn/interrupt', { threadId, turnId: '' })).toEqual({})
    await client.result('turn/start', { threadId, input: text('hi') })
    expect(await client.result('turn/interrupt', { threadId, turnId: '' })).toEqual({})
    const ended = await client.until(({ method }) => method === 'turn/completed')
    expect(ended).toMatchObject({ params: { turn: { status: 'interrupted' } } })
  })

  it('that follows the start of a turn in one write stops that turn', async () => {
    await using place = testPlace()
    const { client, threadId } = await opened(place, { model: scriptedModel({ hang: true }) })
    await using _ = client
    const started = client.ask('turn/start', { threadId, input: text('hi') })
    const stopped = client.ask('turn/interrupt', { threadId, turnId: '' })
    expect((await started)['error']).toBeUndefined()
    expect((await stopped)['result']).toEqual({})
    const ended = await client.until(({ method }) => method === 'turn/completed')
    expect(ended).toMatchObject({ params: { turn: { status: 'interrupted' } } })
  })
})
