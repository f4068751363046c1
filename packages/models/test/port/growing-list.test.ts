import fc from 'fast-check'
import { expect, it } from 'vitest'
import { foldGrowing } from '../../src/port/growing-list.ts'

it('a list is folded to the same as by itself, whatever was folded before', () => {
  const lists = fc.array(fc.array(fc.constantFrom('a', 'b'), { maxLength: 4 }), { maxLength: 8 })
  fc.assert(
    fc.property(lists, (all) => {
      const join = foldGrowing<string, { text: string }>(
        () => ({ text: '' }),
        (state, item) => {
          state.text += item
        },
      )
      for (const list of all) expect(join(list).text).toBe(list.join(''))
    }),
  )
})

it('only what is new of a list that begins as the last one is added', () => {
  const added: string[] = []
  const note = foldGrowing<string, null>(
    () => null,
    (_, item) => {
      added.push(item)
    },
  )
  note(['a', 'b'])
  note(['a', 'b', 'c'])
  note(['a', 'b', 'c'])
  expect(added).toEqual(['a', 'b', 'c'])
})
