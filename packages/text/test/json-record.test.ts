import { describe, expect, it } from 'vitest'
import { isRecord, parseJson, parseRecord } from '../src/index.ts'

describe('an object of JSON', () => {
  it.each([[{}], [{ a: 1 }]])('is told from other values: %j', (value) => {
    expect(isRecord(value)).toBe(true)
  })

  it.each([[null], [[]], ['{}'], [1], [undefined]])('is not %j', (value) => {
    expect(isRecord(value)).toBe(false)
  })
})

describe('a text that is parsed', () => {
  it('gives its value, or undefined where it is not JSON', () => {
    expect(['{"a":[1]}', 'null', '{"a"', ''].map(parseJson)).toEqual([{ a: [1] }, null, undefined, undefined])
  })

  it('is a record only if it is an object', () => {
    expect(['{"a":1}', '[1]', 'null', 'x'].map(parseRecord)).toEqual([{ a: 1 }, undefined, undefined, undefined])
  })
})
