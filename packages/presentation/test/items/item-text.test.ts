import type { ItemId } from '@parley/protocol'
import { expect, test } from 'vitest'
import { findInItem } from '../../src/items/item-text.ts'

const said = (text: string) =>
  ({ type: 'agentMessage', id: 'i1' as ItemId, status: 'completed', title: '', text }) as const

test('text is found with the rest of its line around it', () => {
  const item = said('one\nthe cache grows here\nthree')
  expect(findInItem(item, 'cache')).toEqual({ before: 'the ', match: 'cache', after: ' grows here' })
  expect(findInItem(item, 'nothing')).toBeNull()
  expect(findInItem(item, '')).toBeNull()
})

test('a long line is cut on both sides of a match', () => {
  const found = findInItem(said(`${'a'.repeat(500)}b${'c'.repeat(500)}`), 'b')
  expect(found).toEqual({ before: 'a'.repeat(40), match: 'b', after: 'c'.repeat(120) })
})

test('capitals count where the query has any', () => {
  expect(findInItem(said('Cache'), 'cache')?.match).toBe('Cache')
  expect(findInItem(said('cache'), 'Cache')).toBeNull()
})
