import { expect, it } from 'vitest'
import { type TestPlace, testPlace } from '../support/test-server.ts'

/** A conversation with large items, put in without turns. */
async function withItems(place: TestPlace, { count, bytes }: { count: number; bytes: number }) {
  const talk = await place.talk()
  const { conversationId } = talk.watched
  const { conversation } = talk.server.engine.host.get(conversationId)
  const add = (from: number) => {
    for (let n = from; n < from + count; n++)
      conversation.record({
        type: 'item.completed',
        item: {
          id: `i${n}`,
          type: 'notice',
          status: 'completed',
          title: '',
          text: 'x'.repeat(bytes),
          level: 'info',
          code: 'filler',
        },
      })
  }
  add(0)
  return { ...talk, conversationId, add }
}

it('the list reads a name and an archive mark from the middle of a long log', async () => {
  await using place = testPlace()
  const { client, conversationId, server, add } = await withItems(place, { count: 20, bytes: 20_000 })
  await client.request('conversation/rename', { conversationId, name: 'cart-bug' })
  await client.request('conversation/archive', { conversationId })
  add(20)
  expect((await client.request('conversation/list', { archived: true })).conversations).toMatchObject([
    { conversationId, name: 'cart-bug', archived: true },
  ])
  await server.close()
  const later = await place.start().connect()
  expect(await later.request('conversation/resume', { prefix: 'cart-bug' })).toMatchObject({ conversationId })
})

it('a very long conversation opens, and its older items are read in pages', async () => {
  await using place = testPlace()
  const { server, conversationId } = await withItems(place, { count: 20, bytes: 1 << 20 })
  const client = await server.connect('second')
  const { state } = await client.watch(conversationId)
  expect(JSON.stringify(state.window).length).toBeLessThan(9 << 20)
  let ids = state.window.map(({ item }) => item.id)
  expect(ids.at(-1)).toBe('i19')
  let before = state.window[0]?.seq
  for (let more = before !== undefined; more; ) {
    const page = await client.request(
      'conversation/read',
      before === undefined ? { conversationId } : { conversationId, before },
    )
    expect(page.items.length).toBeGreaterThan(0)
    ids = [...page.items.map(({ item }) => item.id), ...ids]
    before = page.items[0]?.seq
    more = page.more
  }
  expect(ids).toEqual(Array.from({ length: 20 }, (_, n) => `i${n}`))
})
