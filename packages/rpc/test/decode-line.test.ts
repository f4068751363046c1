import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeLine } from '../src/decode-line.ts'

describe('decoding a line', () => {
  it('returns any JSON value as it was sent', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value)
        expect(decodeLine(text, 512)).toEqual({ kind: 'message', value: JSON.parse(text) })
      }),
    )
  })

  it('calls text unreadable that is not JSON, too deep or has two ids (F032, F033)', () => {
    expect(decodeLine('{"id":1', 512)).toEqual({ kind: 'unreadable', reason: 'notJson' })
    expect(decodeLine('['.repeat(100_000), 512)).toEqual({ kind: 'unreadable', reason: 'tooDeep' })
    expect(decodeLine('{"id":1,"id":2}', 512)).toEqual({ kind: 'unreadable', reason: 'repeatedId' })
  })

  it('keeps a __proto__ key from changing any prototype (F033)', () => {
    const incoming = decodeLine('{"__proto__":{"polluted":true},"params":{"__proto__":null}}', 512)
    expect(Object.getPrototypeOf(incoming.kind === 'message' ? incoming.value : null)).toBe(Object.prototype)
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })
})
