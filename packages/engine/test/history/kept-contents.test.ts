import { expect, it } from 'vitest'
import { keptContents } from '../../src/history/kept-contents.ts'

it('a list of changed files that is damaged names no contents, and keeps nobody from deleting its conversation', () => {
  const hash = 'a'.repeat(64)
  const list = JSON.stringify([
    { path: 'a', before: { hash } },
    { path: 'b', before: null },
  ])
  const { listedIn } = keptContents('/nowhere')
  expect(listedIn(Buffer.from(list))).toEqual([hash])
  for (const damaged of [list.slice(0, -1), '', 'null', '[1]']) expect(listedIn(Buffer.from(damaged))).toEqual([])
})
