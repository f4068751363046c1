import { joinShellWords, splitShellWords } from '@parley/text'
import fc from 'fast-check'
import { expect, it } from 'vitest'

it.each([
  [['bash', '-c', 'echo hi'], "bash -c 'echo hi'"],
  [['a=b', "it's", ''], "a=b 'it'\\''s' ''"],
])('%j is written as a shell reads it', (words, line) => {
  expect(joinShellWords(words)).toBe(line)
})

it('joined words are split into the same words', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' })), (words) => {
      expect(splitShellWords(joinShellWords(words))).toEqual(words)
    }),
  )
})
