import { describe, expect, it } from 'vitest'
import { createMessagesCache, createPrefixCache } from '../../src/index.ts'

const mark = { cache_control: { type: 'ephemeral' } }
const text = (words: string, more: object = {}) => ({ type: 'text', text: words, ...more })
const body = (...content: readonly object[]) => JSON.stringify({ messages: [{ role: 'user', content }] })
const many = (count: number) => Array.from({ length: count }, (_, index) => text(`${index}`))

describe('the cache by the rule of the Messages API', () => {
  it('reads what ended at a mark, up to 20 blocks before a mark of the next request', () => {
    for (const [added, expected] of [
      [20, 1],
      [21, 0],
    ] as const) {
      const cache = createMessagesCache()
      expect(cache.take(body(text('a', mark))).cachedBlocks).toBe(0)
      const longer = body(text('a'), ...many(added - 1), text('end', mark))
      expect(cache.take(longer)).toMatchObject({ totalBlocks: added + 1, cachedBlocks: expected })
    }
  })

  it('writes nothing without a mark, and reads nothing after a change', () => {
    const cache = createMessagesCache()
    cache.take(body(text('a')))
    expect(cache.take(body(text('a', mark))).cachedBlocks).toBe(0)
    expect(cache.take(body(text('b'), text('a', mark))).cachedBlocks).toBe(0)
  })

  it('rejects a fifth mark', () => {
    const marked = Array.from({ length: 5 }, (_, index) => text(`${index}`, mark))
    expect(() => createMessagesCache().take(body(...marked))).toThrow('5 marks')
  })
})

it('the cache of shared beginnings reads the longest one', () => {
  const cache = createPrefixCache()
  expect(cache.take('abc')).toMatchObject({ totalBytes: 3, cachedBytes: 0 })
  expect(cache.take('abdé')).toMatchObject({ totalBytes: 5, cachedBytes: 2 })
})
