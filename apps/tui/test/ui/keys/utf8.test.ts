import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeUtf8, type PartialBytes } from '../../../src/ui/keys/utf8.ts'

test('any bytes, cut anywhere, decode as the platform decodes them', () => {
  const bytes = fc.uint8Array({ maxLength: 40 })
  const near = fc.array(
    fc.constantFrom(0x41, 0x80, 0xbf, 0xc1, 0xc3, 0xe0, 0xa0, 0x9f, 0xed, 0xef, 0xf0, 0x90, 0xf4, 0x8f, 0xf5),
    { maxLength: 12 },
  )
  fc.assert(
    fc.property(
      fc.oneof(
        bytes,
        near.map((list) => Uint8Array.from(list)),
      ),
      fc.nat({ max: 40 }),
      (input, cut) => {
        let carried: PartialBytes = []
        let text = ''
        for (const part of [input.subarray(0, cut), input.subarray(cut)]) {
          const result = decodeUtf8(carried, part)
          text += result.text
          carried = result.carried
        }
        const expected = new TextDecoder('utf-8', { ignoreBOM: true }).decode(input)
        expect(text + (carried.length > 0 ? '\ufffd' : '')).toBe(expected)
      },
    ),
    { numRuns: 1_000 },
  )
})
