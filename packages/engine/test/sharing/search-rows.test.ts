import { LOG_FORMAT } from '@parley/journal'
import { expect, it } from 'vitest'
import type { TextSearch } from '../../src/ports/text-search.ts'
import type { Catalogue, Listed } from '../../src/read/catalogue.ts'
import { toListed } from '../../src/read/list-conversations.ts'
import { searchConversations } from '../../src/search/search-conversations.ts'

const owner = { pid: 7, socket: null, address: 'wss://b:7100' }
const listed: Listed = {
  id: 'kept',
  modifiedAtMs: 5000,
  row: {
    ...{ cwd: '/srv/app', environment: null, title: 'go', name: null, createdAt: 1000, archived: false },
    ...{ forkedFrom: null, minReader: LOG_FORMAT },
  },
}

/** Conversations of a store: one that another server has; a second one was deleted there. */
const catalogue: Catalogue = {
  all: async () => [listed],
  ids: async () => ['kept'],
  row: async (id) => (id === 'kept' ? listed.row : null),
  has: async (id) => id === 'kept',
  among: async () => null,
  live: () => owner,
}

/** Index of the copies of both on this machine. */
const search: TextSearch = {
  find: async () => ({
    logs: ['gone', 'kept'].map((id) => ({ id, lines: 1, byteOffset: 0, words: [] })),
    unread: 0,
    leftOut: 0,
  }),
  excerpts: async (found) => found.map(() => ({ seq: 1, at: 5000, from: 'user', before: '', words: 'go', after: '' })),
  forget: async () => undefined,
  [Symbol.asyncDispose]: async () => undefined,
}

it('a search in the copies of a store shows conversations as its lists do, and none that are gone from it', async () => {
  const { found, total } = await searchConversations({ search, catalogue, copies: null }, { query: 'go' })
  expect(total).toBe(1)
  expect(found.map(({ conversation }) => conversation)).toMatchObject([
    { conversationId: 'kept', updatedAt: 5000, live: owner },
  ])
})

it('what people gave a conversation goes with its row from server to server, and not to those who list it', () => {
  const row = { ...listed.row, given: { writableRoots: ['/srv/secret'], seal: 's' } }
  expect(toListed(catalogue, { ...listed, row })).toEqual(toListed(catalogue, listed))
})

it('a search without words, by which each window has logs read for later ones, fetches nothing from a store', async () => {
  const asked: number[] = []
  const copies = { bring: async (_: unknown, waitMs: number) => asked.push(waitMs) }
  const searched = async (query: string) => (await searchConversations({ search, catalogue, copies }, { query })).unread
  expect([await searched(''), await searched(' '), asked]).toEqual([0, 0, []])
  expect([await searched('go'), asked]).toEqual([1, [100]])
})
