import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cutBytes, everyOffset } from '../src/index.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

test('pieces joined are the bytes, wherever they are cut', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.array(fc.integer({ min: -2, max: 40 })), (whole, offsets) => {
      expect(Buffer.concat(cutBytes(whole, offsets))).toEqual(Buffer.from(whole))
    }),
  )
})

test('cutting at every offset leaves single bytes', () => {
  const whole = bytes('data: é\n\n')
  expect(cutBytes(whole, everyOffset(whole)).map((piece) => piece.length)).toEqual([...whole].map(() => 1))
})
