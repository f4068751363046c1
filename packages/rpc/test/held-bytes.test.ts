import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createByteBuffer } from '../src/held-bytes.ts'

it('held bytes come back as they were appended, whatever the sizes, again and again', () => {
  const size = fc.oneof(fc.nat(10), fc.nat(200_000), fc.constantFrom(65_535, 65_536, 65_537))
  fc.assert(
    fc.property(fc.array(fc.array(size, { maxLength: 4 }), { maxLength: 3 }), (lines) => {
      const held = createByteBuffer()
      for (const sizes of lines) {
        const chunks = sizes.map((each, index) => Buffer.alloc(each, index + 1))
        for (const chunk of chunks) held.append(chunk)
        const whole = Buffer.concat(chunks)
        expect(held.sizeBytes).toBe(whole.length)
        expect(held.take().equals(whole)).toBe(true)
        expect(held.sizeBytes).toBe(0)
      }
    }),
    { numRuns: 50 },
  )
})
