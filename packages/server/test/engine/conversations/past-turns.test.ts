import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../support/test-server.ts'

describe('past turns', () => {
  it('are looked up in pages, with their message, their answer and the places of their items', async () => {
    await using place = testPlace()
    const texts = ['one', 'two', 'three'].map((text) => ({ text }))
    const { client, watched } = await place.talk({ model: scriptedModel(...texts) })
    const { conversationId } = watched
    for (const text of ['a', 'b', 'c']) {
      await watched.send(text)
      await watched.turnEnded()
    }
    const newest = await client.request('conversation/turns', { conversationId, limit: 2 })
    expect(newest.more).toBe(true)
    expect(newest.turns.map(({ message, answer }) => [message?.item.text, answer?.item.text])).toEqual([
      ['b', 'two'],
      ['c', 'three'],
    ])
    const before = newest.turns[0]?.startSeq ?? 0
    const older = await client.request('conversation/turns', { conversationId, before })
    expect(older).toMatchObject({ more: false, turns: [{ outcome: 'completed', message: { item: { text: 'a' } } }] })
    for (const { turnId, startSeq, endSeq } of [...older.turns, ...newest.turns]) {
      const range = { conversationId, after: startSeq, before: endSeq ?? 0 }
      const { items } = await client.request('conversation/read', range)
      expect(new Set(items.map((item) => item.turnId))).toEqual(new Set([turnId]))
      expect(items.map(({ item }) => item.type)).toEqual(['userMessage', 'agentMessage'])
    }
  })

  it('end with the one that is open, which has no end yet', async () => {
    await using place = testPlace()
    const gate = Promise.withResolvers<void>()
    const { client, watched } = await place.talk({ model: scriptedModel({ text: 'late', gate: gate.promise }) })
    const { conversationId } = watched
    await watched.send('hi')
    const { turns } = await client.request('conversation/turns', { conversationId })
    expect(turns).toMatchObject([{ endSeq: null, endedAt: null, outcome: null, message: { item: { text: 'hi' } } }])
    expect(turns[0]).not.toHaveProperty('usage')
    gate.resolve()
    await watched.turnEnded()
  })
})
