import fc from 'fast-check'
import { expect, test } from 'vitest'
import { codePoint } from '../../src/properties/code-point.ts'

test('every text is whole, of characters of every size, and has the words that objects know', () => {
  const texts = fc.sample(fc.string({ unit: codePoint }), { numRuns: 5000, seed: 1 })
  expect(texts.filter((text) => !text.isWellFormed())).toEqual([])
  const sizes = new Set([...texts.join('')].map((character) => Buffer.byteLength(character)))
  expect([...sizes].sort()).toEqual([1, 2, 3, 4])
  expect(texts.some((text) => text.includes('__proto__'))).toBe(true)
})
