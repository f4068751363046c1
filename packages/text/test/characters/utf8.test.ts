import { codePoint } from '@parley/testkit/code-point'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { characterEnd, characterStart, firstBytes, lastBytes, utf8Length } from '../../src/characters/utf8.ts'

const anyText = fc.string({ unit: codePoint, maxLength: 40 })

it('counts bytes as UTF-8 does, for any text', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(utf8Length(text)).toBe(Buffer.byteLength(text))
    }),
  )
})

it.each(['\ud83c', '\udf0d', '\udf0d\ud83c', 'a\ud83c\ud83c\udf0d', '\ud83cé語'])(
  'counts half of a pair as the character that replaces it: %j',
  (text) => {
    expect(utf8Length(text)).toBe(Buffer.byteLength(text))
  },
)

it('takes the longest beginning and end that fit, for any text and limit', () => {
  fc.assert(
    fc.property(anyText, fc.nat(50), (text, limit) => {
      const characters = [...text]
      const fits = (part: string[]) => Buffer.byteLength(part.join('')) <= limit
      const counts = characters.map((_, index) => index + 1)
      const first = counts.filter((count) => fits(characters.slice(0, count))).at(-1) ?? 0
      const last = counts.filter((count) => fits(characters.slice(-count))).at(-1) ?? 0
      expect(firstBytes(text, limit)).toBe(characters.slice(0, first).join(''))
      expect(lastBytes(text, limit)).toBe(last === 0 ? '' : characters.slice(-last).join(''))
    }),
  )
})

it('finds the whole characters between any two cuts', () => {
  fc.assert(
    fc.property(anyText, fc.nat(8), fc.nat(8), (text, before, after) => {
      const all = new TextEncoder().encode(text.toWellFormed())
      const cut = all.subarray(Math.min(before, all.length), Math.max(before, all.length - after))
      const whole = cut.subarray(characterStart(cut), Math.max(characterStart(cut), characterEnd(cut)))
      const decoded = new TextDecoder().decode(whole)
      expect(decoded).toBe(new TextDecoder('utf-8', { fatal: true }).decode(whole))
      expect(cut.length - whole.length).toBeLessThanOrEqual(6)
    }),
  )
})
