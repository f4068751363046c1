import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../../engine/support/test-server.ts'
import { opened } from './threads.ts'

describe('what Codex’s terminal ends itself at when it is refused', () => {
  it.each([
    [{ type: 'uncommittedChanges' }, 'not committed'],
    [{ type: 'baseBranch', branch: 'main' }, 'since this branch left main'],
    [{ type: 'commit', sha: 'abc123', title: 'Mend it' }, 'the changes of abc123 (Mend it)'],
    [{ type: 'custom', instructions: 'Look at a.txt' }, 'Look at a.txt'],
  ])('a review of %j is a turn with a message that asks for it', async (target, asked) => {
    await using place = testPlace()
    const { client, threadId } = await opened(place, { model: scriptedModel({ text: 'No faults.' }) })
    await using _ = client
    expect(await client.result('review/start', { threadId, target })).toMatchObject({
      reviewThreadId: threadId,
      turn: { status: 'inProgress' },
    })
    const ended = await client.until(({ method }) => method === 'turn/completed')
    expect(ended).toMatchObject({ params: { turn: { status: 'completed', items: [{ text: 'No faults.' }] } } })
    const message = client.received.find(({ params }) => JSON.stringify(params ?? '').includes('userMessage'))
    expect(JSON.stringify(message)).toContain(asked)
  })

  it('a compaction of nothing is answered, and told as a turn that failed', async () => {
    await using place = testPlace()
    const { client, threadId } = await opened(place, {})
    await using _ = client
    expect(await client.result('thread/compact/start', { threadId })).toEqual({})
    expect(await client.until(({ method }) => method === 'turn/completed')).toMatchObject({
      params: {
        threadId,
        turn: { status: 'failed', error: { message: expect.stringContaining('nothing to compact') } },
      },
    })
    expect(client.story()).toEqual(['thread/started', 'turn/started', 'error', 'turn/completed'])
    const unknown = '00000000-0000-7000-8000-000000000000'
    expect((await client.ask('thread/compact/start', { threadId: unknown }))['error']).toMatchObject({ code: -32600 })
  })
})
