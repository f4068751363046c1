import { chainDigest } from '@parley/protocol'
import { codePoint } from '@parley/testkit/code-point'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { eventStreams, fold } from '../laws/event-stream.ts'

describe('chainDigest', () => {
  it('does not depend on the order of keys', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), (value, previous) => {
        expect(chainDigest(previous, turnedRound(value))).toBe(chainDigest(previous, value))
      }),
    )
  })

  it('changes with any change of the value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        const isSame = JSON.stringify(sorted(one)) === JSON.stringify(sorted(other))
        expect(chainDigest('', one) === chainDigest('', other)).toBe(isSame)
      }),
    )
  })

  it('changes when one character of a text does', () => {
    const places = fc
      .string({ unit: codePoint, minLength: 1, maxLength: 200 })
      .chain((text) => fc.tuple(fc.constant(text), fc.nat(text.length - 1)))
    fc.assert(
      fc.property(places, ([text, at]) => {
        const unit = String.fromCharCode(text.charCodeAt(at) ^ 1)
        const changed = text.slice(0, at) + unit + text.slice(at + 1)
        expect(chainDigest('', changed)).not.toBe(chainDigest('', text))
      }),
    )
  })

  it('changes with what came before', () => {
    const before = chainDigest('', { id: 'i1' })
    expect(chainDigest(before, { id: 'i2' })).not.toBe(chainDigest('', { id: 'i2' }))
  })

  it('is sixteen hex digits', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(chainDigest('', value)).toMatch(/^[0-9a-f]{16}$/)
      }),
    )
  })

  it('differs for states that lost or swapped an item', () => {
    fc.assert(
      fc.property(eventStreams, fc.nat(), ({ envelopes }, place) => {
        const completions = envelopes.filter(({ event }) => event.type === 'item.completed')
        const lost = completions[place % Math.max(1, completions.length)]
        if (lost === undefined) return
        expect(fold(envelopes.filter((one) => one !== lost)).core.digest).not.toBe(fold(envelopes).core.digest)
      }),
    )
  })
})

function turnedRound(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turnedRound)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, inner]) => [key, turnedRound(inner)]),
  )
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  const keys = Object.keys(value).toSorted()
  return keys.map((key) => [key, sorted(Reflect.get(value, key))]).concat([['is an object']])
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
