import type { TestClient } from '@parley/engine/test/support/test-client.ts'
import type { Envelope } from '@parley/protocol'
import { describe, expect, it } from 'vitest'
import { type TestPlace, testPlace } from '../support/test-server.ts'

/** A conversation with notices of this size, which another client watches. */
async function withNotices(place: TestPlace, { count, bytes }: { count: number; bytes: number }) {
  const { client, server, watched } = await place.talk()
  const { conversationId } = watched
  const { conversation } = server.engine.host.get(conversationId)
  for (let n = 0; n < count; n++) {
    const text = 'x'.repeat(bytes)
    const shown = { status: 'completed', title: '', text, level: 'info', code: 'filler' } as const
    conversation.record({ type: 'item.completed', item: { id: `i${n}`, type: 'notice', ...shown } })
  }
  await watched.until(({ core }) => core.seq === count + 1)
  return { client, server, conversationId, delivered: watched.events }
}

async function pagesOf(client: TestClient, conversationId: string, limit?: number): Promise<Envelope[][]> {
  const pages: Envelope[][] = []
  for (let seq = 0, more = true; more; seq = pages.at(-1)?.at(-1)?.seq ?? 0) {
    const range = { conversationId, after: { seq }, ...(limit === undefined ? {} : { limit }) }
    const page = await client.request('conversation/readEvents', range)
    pages.push(page.events as Envelope[])
    more = page.more
  }
  return pages
}

describe('reading events', () => {
  it('returns the delivered events in pages', async () => {
    await using place = testPlace()
    const { client, conversationId, delivered } = await withNotices(place, { count: 24, bytes: 10 })
    const pages = await pagesOf(client, conversationId, 10)
    expect(pages.map(({ length }) => length)).toEqual([10, 10, 5])
    expect(pages.flat()).toEqual(delivered)
  })

  it('reads events from the log when memory has dropped them, and keeps each page within the limit of a reply', async () => {
    await using place = testPlace()
    const { client, conversationId, delivered } = await withNotices(place, { count: 20, bytes: 1 << 20 })
    const pages = await pagesOf(client, conversationId)
    expect(pages.length).toBeGreaterThan(2)
    expect(pages.flat().map(({ seq }) => seq)).toEqual(delivered.map(({ seq }) => seq))
  })

  it('returns no events before the first message and after the last event', async () => {
    await using place = testPlace()
    const { client, watched } = await place.talk()
    const { conversationId } = watched
    expect(await client.request('conversation/readEvents', { conversationId, after: { seq: 0, crc: null } })).toEqual({
      events: [],
      more: false,
    })
  })

  it('is rejected after an event that the log holds differently', async () => {
    await using place = testPlace()
    const { client, conversationId, delivered } = await withNotices(place, { count: 3, bytes: 1 })
    const third = delivered[2]
    const after = { seq: 3, crc: third?.crc ?? null }
    expect((await client.request('conversation/readEvents', { conversationId, after })).events).toEqual([delivered[3]])
    const changed = { conversationId, after: { seq: 3, crc: '00000000' } }
    expect(await client.refused('conversation/readEvents', changed)).toMatchObject({ code: 'badCursor' })
  })
})
