import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeLine, excessOf, repeatsTopLevelId } from '../../src/transport/decode-line.ts'

const limits = { maxDepth: 512, maxValues: 100_000 }

function nestsDeeperThan(text: string, maxDepth: number): boolean {
  return excessOf(text, { maxDepth, maxValues: Infinity }) === 'tooDeep'
}

function holdsMoreValuesThan(text: string, maxValues: number): boolean {
  return excessOf(text, { maxDepth: Infinity, maxValues }) === 'tooManyValues'
}

describe('decoding a line', () => {
  it('returns any JSON value as it was sent', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value)
        expect(decodeLine(text, limits)).toEqual({ kind: 'message', value: JSON.parse(text) })
      }),
    )
  })

  it('returns unreadable for text that is not JSON, is too deep or has two ids', () => {
    expect(decodeLine('{"id":1', limits)).toEqual({ kind: 'unreadable', reason: 'notJson' })
    expect(decodeLine('['.repeat(100_000), limits)).toEqual({ kind: 'unreadable', reason: 'tooDeep' })
    expect(decodeLine(`[${'{},'.repeat(100_000)}0]`, limits)).toEqual({ kind: 'unreadable', reason: 'tooManyValues' })
    expect(decodeLine('{"id":1,"id":2}', limits)).toEqual({ kind: 'unreadable', reason: 'repeatedId' })
  })

  it('keeps a __proto__ key from changing any prototype', () => {
    const incoming = decodeLine('{"__proto__":{"polluted":true},"params":{"__proto__":null}}', limits)
    expect(Object.getPrototypeOf(incoming.kind === 'message' ? incoming.value : null)).toBe(Object.prototype)
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })
})

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}

describe('nesting', () => {
  it('is counted exactly', () => {
    expect(nestsDeeperThan('[[[1]]]', 3)).toBe(false)
    expect(nestsDeeperThan('[[[1]]]', 2)).toBe(true)
    expect(nestsDeeperThan('[[1],[2],[3],{"a":[4]}]', 2)).toBe(true)
    expect(nestsDeeperThan('[[1],[2],[3],{"a":4}]', 2)).toBe(false)
  })

  it('does not count brackets inside strings', () => {
    expect(nestsDeeperThan(JSON.stringify(['[[[[[{{{{{', '\\"[[[[', '"[[[', '\\']), 1)).toBe(false)
  })

  it('is rejected without recursion, however deep it is', () => {
    expect(nestsDeeperThan('['.repeat(1_000_000), 512)).toBe(true)
    expect(nestsDeeperThan('{"a":'.repeat(100_000), 512)).toBe(true)
  })

  it('agrees with the depth of any value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(6), (value, limit) => {
        expect(nestsDeeperThan(JSON.stringify(value), limit)).toBe(depthOf(value) > limit)
      }),
    )
  })

  it('is harmless on text that is not JSON', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(typeof nestsDeeperThan(text, 1)).toBe('boolean')
      }),
    )
  })
})

function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce((sum: number, one) => sum + valuesIn(one), 1)
}

describe('the number of values', () => {
  it('is counted exactly where nothing is empty, and never below what is there', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 1, max: 60 }), (value, limit) => {
        const text = JSON.stringify(value)
        const [count, empty] = [valuesIn(value), (text.match(/\[\]|\{\}/g) ?? []).length]
        if (count > limit) expect(holdsMoreValuesThan(text, limit)).toBe(text.length > limit)
        if (count + empty <= limit) expect(holdsMoreValuesThan(text, limit)).toBe(false)
      }),
    )
  })

  it('does not count commas and brackets in strings', () => {
    expect(holdsMoreValuesThan(JSON.stringify([',,,,[[[[{{{{', '\\",,,,', '",,,']), 4)).toBe(false)
    expect(holdsMoreValuesThan('[1,2,3,4]', 4)).toBe(true)
  })
})

describe('a repeated top-level id', () => {
  it('is found however it is written', () => {
    expect(repeatsTopLevelId('{"id":1,"id":2}')).toBe(true)
    expect(repeatsTopLevelId('{"id" : 1 , "\\u0069d"\t:2}')).toBe(true)
    expect(repeatsTopLevelId('{"\\u0069\\u0064":1,"i\\u0064":2}')).toBe(true)
  })

  it('is not found in nested objects, values or other keys', () => {
    const params = { id: 2, list: [{ id: 3 }], text: '"id":4,"id"' }
    expect(repeatsTopLevelId(JSON.stringify({ id: 1, method: 'id', params, other: 'id' }))).toBe(false)
    expect(repeatsTopLevelId('{"\\u0069d":1}')).toBe(false)
  })

  it('is not found in any serialised object', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('id', 'a', 'id"', '\\id'), fc.jsonValue()), (value) => {
        expect(repeatsTopLevelId(JSON.stringify(value))).toBe(false)
      }),
    )
  })
})
