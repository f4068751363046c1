import { codePoint } from '@parley/testkit/code-point'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clipForModel } from '../src/clip.ts'

const marker = /\n\[… (\d+) of (\d+) bytes left out; ask more …\]\n/
const clip = (text: string, limitBytes: number) =>
  clipForModel({ head: text, tail: '', totalBytes: Buffer.byteLength(text), omittedBytes: 0 }, 'ask more', limitBytes)

describe('output for the model', () => {
  it('is whole when it fits', () => {
    const output = { head: 'one\n', tail: 'two\n', totalBytes: 8, omittedBytes: 0 }
    expect(clipForModel(output, 'ask more', 16 * 1024)).toBe('one\ntwo\n')
  })

  it('says between its ends how much is missing and how to read it', () => {
    const output = { head: 'one\ntwo\n', tail: 'nine\nten\n', totalBytes: 1000, omittedBytes: 983 }
    expect(clipForModel(output, 'ask more', 16 * 1024)).toBe(
      'one\ntwo\n[… 984 of 1000 bytes left out; ask more …]\nnine\nten\n',
    )
  })

  it('shows nothing twice when its ends are short', () => {
    const output = {
      head: 'h'.repeat(4096),
      tail: 't'.repeat(4096),
      totalBytes: 1 << 20,
      omittedBytes: (1 << 20) - 8192,
    }
    const [start, , , end] = clipForModel(output, 'ask more', 16 * 1024).split(marker)
    expect([start, end]).toEqual(['h'.repeat(4096), 't'.repeat(4096)])
  })

  it('keeps within the limit in bytes, cuts no character and counts what it left out, for any text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: codePoint, minLength: 20, maxLength: 200 }),
        fc.integer({ min: 10, max: 60 }),
        (text, limit) => {
          const clipped = clip(text, limit)
          if (Buffer.byteLength(text) <= limit) {
            expect(clipped).toBe(text)
            return
          }
          const [start = '', missing, total, end = ''] = clipped.split(marker)
          expect(Buffer.byteLength(start) + Buffer.byteLength(end)).toBeLessThanOrEqual(limit)
          expect(text.startsWith(start) && text.endsWith(end)).toBe(true)
          expect(Number(missing) + Buffer.byteLength(start) + Buffer.byteLength(end)).toBe(Number(total))
        },
      ),
    )
  })
})
