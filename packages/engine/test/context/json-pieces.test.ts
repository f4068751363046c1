import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonPieces } from '../../src/context/request-hash.ts'

function withOrder(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

const joined = (value: unknown) => [...jsonPieces(value)].join('')

test('the pieces are the JSON of the value with its keys in order', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(joined(value)).toBe(JSON.stringify(value, withOrder))
    }),
  )
  expect(joined({ b: undefined, a: [1, null, true], 10: 'x', 9: {} })).toBe('{"9":{},"10":"x","a":[1,null,true]}')
})

test('a long text is cut into pieces between its characters, whatever it is made of', () => {
  const unit = fc.constantFrom('a', '"', '\\', '\n', 'ü', '€', '😀', '\ud83d', '\ude00')
  fc.assert(
    fc.property(fc.array(unit, { minLength: 1, maxLength: 9 }), (units) => {
      const text = units.join('').repeat(30_000)
      const pieces = [...jsonPieces({ text })]
      expect(pieces.join('') === JSON.stringify({ text })).toBe(true)
      expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(500_000)
    }),
    { numRuns: 20 },
  )
})
