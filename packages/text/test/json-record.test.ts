import { describe, expect, it } from 'vitest'
import { isRecord } from '../src/index.ts'

describe('an object of JSON', () => {
  it.each([[{}], [{ a: 1 }]])('is told from other values: %j', (value) => {
    expect(isRecord(value)).toBe(true)
  })

  it.each([[null], [[]], ['{}'], [1], [undefined]])('is not %j', (value) => {
    expect(isRecord(value)).toBe(false)
  })
})
