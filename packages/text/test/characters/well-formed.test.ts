import { codePoint } from '@parley/testkit/code-point'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { wellFormed, wellFormedJson, wholeEscapes } from '../../src/characters/well-formed.ts'

const high = '\ud83d'
const low = '\ude00'

/** Any text, with halves of pairs among its characters. */
const halved = fc
  .array(fc.oneof(fc.string({ unit: codePoint, maxLength: 3 }), fc.constantFrom(high, low, '\\', '\\u', 'd83d', '"')))
  .map((pieces) => pieces.join(''))

describe('a value of JSON', () => {
  it.each([
    ['a text', `a${high}`, 'a\ufffd'],
    ['both halves in the wrong order', `${low}${high}`, '\ufffd\ufffd'],
    ['a key', { [`${high}k`]: 1 }, { '\ufffdk': 1 }],
    ['a text deep inside', { list: [1, { text: low }], other: null }, { list: [1, { text: '\ufffd' }], other: null }],
    ['a key that names a prototype', JSON.parse(`{"__proto__":"\\ud83d"}`), JSON.parse('{"__proto__":"\ufffd"}')],
  ])('has U+FFFD for half of a character in %s', (_name, value, expected) => {
    expect(wellFormed(value)).toEqual(expected)
  })

  it('is the same object where nothing is halved', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: codePoint }), (value) => {
        expect(wellFormed(value)).toBe(value)
        expect(wellFormedJson(value)).toBe(JSON.stringify(value))
      }),
    )
  })

  it('gives the JSON text of what it is made to, whatever its texts are', () => {
    fc.assert(
      fc.property(fc.dictionary(halved, fc.array(halved)), (value) => {
        expect(JSON.parse(wellFormedJson(value))).toEqual(wellFormed(value))
        expect(wellFormedJson(value)).not.toMatch(/\p{Surrogate}/u)
      }),
    )
  })
})

describe('JSON text that a model wrote', () => {
  it.each([
    [String.raw`{"a":"\ud83d"}`, String.raw`{"a":"\ufffd"}`],
    [String.raw`{"a":"\uD83D\ud83d\ude00"}`, String.raw`{"a":"\ufffd\ud83d\ude00"}`],
    [String.raw`{"a":"\ude00\ud83d"}`, String.raw`{"a":"\ufffd\ufffd"}`],
    [String.raw`{"a":"\\ud83d"}`, String.raw`{"a":"\\ud83d"}`],
    [String.raw`{"a":"\\\ud83d"}`, String.raw`{"a":"\\\ufffd"}`],
    [String.raw`{"a":"\ud83d\\ude00"}`, String.raw`{"a":"\ufffd\\ude00"}`],
    [String.raw`{"a":"\ud7ff\ue000"}`, String.raw`{"a":"\ud7ff\ue000"}`],
    ['no JSON \\', 'no JSON \\'],
  ])('%j keeps its whole escapes', (written, expected) => {
    expect(wholeEscapes(written)).toBe(expected)
  })
})
