import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { createRecentContents } from '../../src/store/log/recent-contents.ts'

const named = (content: Buffer) => ({ name: `sha256-${createHash('sha256').update(content).digest('hex')}`, content })

test('contents are kept by the names that tell them, as far as there is room for those asked for last', () => {
  const recent = createRecentContents()
  const quarters = [1, 2, 3, 4, 5].map((byte) => named(Buffer.alloc(256 * 1024, byte)))
  const [first, second] = quarters
  if (first === undefined || second === undefined) throw new Error('there are no contents')
  for (const { name, content } of quarters.slice(0, 4)) recent.keep(name, content)
  expect(recent.get(first.name)).toBe(first.content)
  recent.keep(first.name, first.content)
  for (const { name, content } of quarters.slice(4)) recent.keep(name, content)
  expect(quarters.map(({ name }) => recent.get(name) !== null)).toEqual([true, false, true, true, true])
})

test('a content that is large, or that its name does not tell, is not kept', () => {
  const recent = createRecentContents()
  const large = named(Buffer.alloc(256 * 1024 + 1))
  recent.keep(large.name, large.content)
  const { name } = named(Buffer.from('one'))
  recent.keep(name, Buffer.from('other'))
  expect([recent.get(large.name), recent.get(name)]).toEqual([null, null])
})
