import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../support/test-server.ts'

const usage = { inputTokens: 1000, cachedInputTokens: 400, outputTokens: 100 }
const answer = (text: string) => ({ text, usage })
const price = { input: 10, cachedInput: 1, output: 20 }
/** Cost of one answer: 600 fresh, 400 cached and 100 output tokens. */
const cost = 0.0084

describe('usage over all conversations', () => {
  it('is summed by day, by model and by folder', async () => {
    await using place = testPlace()
    const model = scriptedModel({ calls: [{ name: 'list_dir', args: {} }], usage }, answer('a'), answer('b'))
    const others = { other: scriptedModel(answer('c')) }
    const { client, watched } = await place.talk({ model, others, facts: { price } })
    await watched.send('one')
    await watched.turnEnded()
    const { conversationId } = watched
    await client.request('conversation/configure', {
      conversationId,
      settings: { modelProvider: 'other', model: 'm2' },
    })
    await watched.send('two')
    await watched.turnEnded()

    const { rows: days } = await client.request('usage/read', {})
    expect(days).toEqual([
      {
        key: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
        conversations: 1,
        calls: 3,
        counts: {
          ...usage,
          inputTokens: 3000,
          cachedInputTokens: 1200,
          outputTokens: 300,
          reasoningTokens: 0,
          costUsd: 3 * cost,
        },
      },
    ])
    const { rows: models } = await client.request('usage/read', { by: 'model' })
    expect(models.map(({ key, calls }) => [key, calls])).toEqual([
      [expect.stringMatching(/^fake /), 2],
      ['other m2', 1],
    ])
    const { rows: folders } = await client.request('usage/read', { by: 'folder' })
    expect(folders.map(({ key, calls }) => [key, calls])).toEqual([[place.cwd, 3]])
  })

  it('begins with a day', async () => {
    await using place = testPlace()
    const { client, watched } = await place.talk({ model: scriptedModel(answer('a')) })
    await watched.send('one')
    await watched.turnEnded()
    expect((await client.request('usage/read', { since: '1970-01-01' })).rows).toHaveLength(1)
    expect((await client.request('usage/read', { since: '9999-01-01' })).rows).toEqual([])
  })

  it('counts what a copy took over once', async () => {
    await using place = testPlace()
    const { client, watched } = await place.talk({ model: scriptedModel(answer('a'), answer('b')) })
    await watched.send('one')
    await watched.turnEnded()
    const { conversationId } = await client.request('conversation/fork', { conversationId: watched.conversationId })
    const copy = await client.watch(conversationId)
    await copy.send('two')
    await copy.turnEnded()
    const { rows } = await client.request('usage/read', { by: 'folder' })
    expect(rows).toMatchObject([{ calls: 2, conversations: 2 }])
  })

  it('reads a log again when it has grown, and the index when it has not', async () => {
    await using place = testPlace()
    const { client, watched } = await place.talk({ model: scriptedModel(answer('a'), answer('b')) })
    await watched.send('one')
    await watched.turnEnded()
    const calls = async () => (await client.request('usage/read', {})).rows[0]?.calls
    expect(await calls()).toBe(1)
    await watched.send('two')
    await watched.turnEnded()
    expect(await calls()).toBe(2)
    const index = join(place.root, '.parley', 'sessions', 'usage.jsonl')
    const kept = readFileSync(index, 'utf8')
    writeFileSync(index, 'not an index')
    expect(await calls()).toBe(2)
    expect(readFileSync(index, 'utf8')).toBe(kept)
  })
})
