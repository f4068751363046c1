import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createOutputWindow, sliceOutput } from '../../src/output/output-window.ts'

const chunks = fc.array(
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
  { maxLength: 20 },
)
const limit = fc.nat({ max: 50 })

function fill(pieces: readonly Buffer[], headBytes: number, tailBytes: number) {
  const window = createOutputWindow(headBytes, tailBytes)
  for (const piece of pieces) window.push(piece)
  return window.snapshot()
}

describe('the output window', () => {
  it('keeps the first bytes, the last of the rest, and counts the gap', () => {
    fc.assert(
      fc.property(chunks, limit, limit, (pieces, headBytes, tailBytes) => {
        const whole = Buffer.concat(pieces)
        const rest = whole.subarray(headBytes)
        const tail = rest.subarray(Math.max(0, rest.length - tailBytes))
        expect(fill(pieces, headBytes, tailBytes)).toEqual({
          totalBytes: whole.length,
          head: Buffer.from(whole.subarray(0, headBytes)),
          tail: Buffer.from(tail),
          omittedBytes: Math.max(0, rest.length - tailBytes),
          lineEnds: whole.filter((byte) => byte === 10).length,
        })
      }),
    )
  })

  it('counts the lines of everything, also of what it no longer keeps', () => {
    const pieces = Array.from({ length: 9_000 }, (_, index) => Buffer.from(`${index + 1}\n`))
    expect(fill(pieces, 64, 64)).toMatchObject({ lineEnds: 9_000 })
  })

  it('keeps its own copy of each chunk', () => {
    const window = createOutputWindow(2, 2)
    const chunk = Buffer.from('abcd')
    window.push(chunk)
    chunk.fill('x')
    expect(window.snapshot()).toMatchObject({ head: Buffer.from('ab'), tail: Buffer.from('cd') })
  })
})

describe('a slice of the output', () => {
  it('holds the part of the output that its offset names', () => {
    fc.assert(
      fc.property(
        chunks,
        limit,
        limit,
        limit,
        fc.option(limit, { nil: undefined }),
        (pieces, head, tail, max, from) => {
          const whole = Buffer.concat(pieces)
          const slice = sliceOutput(fill(pieces, head, tail), max, from)
          expect(slice.bytes).toEqual(whole.subarray(slice.fromByte, slice.fromByte + slice.bytes.length))
          expect(slice.bytes.length).toBeLessThanOrEqual(max)
          if (from !== undefined && from <= whole.length) expect(slice.fromByte).toBeGreaterThanOrEqual(from)
        },
      ),
    )
  })

  it('reaches the end when read repeatedly', () => {
    fc.assert(
      fc.property(chunks, limit, limit, (pieces, head, tail) => {
        const output = fill(pieces, head, tail)
        let at = 0
        let read = 0
        for (let slice = sliceOutput(output, 7, at); slice.bytes.length > 0; slice = sliceOutput(output, 7, at)) {
          at = slice.fromByte + slice.bytes.length
          read += slice.bytes.length
        }
        expect(read).toBe(output.totalBytes - output.omittedBytes)
      }),
    )
  })
})
