import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type RangeLimits, scanLineRange } from '../../src/look-up/line-range.ts'

const limits: RangeLimits = { firstLine: 1, maxLines: 100, maxTextBytes: 10_000, maxLineChars: 100 }

function scan(chunks: readonly Uint8Array[], changed: Partial<RangeLimits> = {}) {
  const range = scanLineRange({ ...limits, ...changed })
  for (const chunk of chunks) range.push(chunk)
  return range.finish()
}

describe('scanLineRange', () => {
  it('returns the same lines for any division into chunks', () => {
    const text = fc.array(fc.constantFrom('a', 'é', '✅', '\n', '\r\n', '\r', 'long '), { maxLength: 60 })
    fc.assert(
      fc.property(text, fc.array(fc.nat(80)), fc.integer({ min: 1, max: 5 }), (pieces, cuts, firstLine) => {
        const bytes = Buffer.from(pieces.join(''))
        const edges = [0, ...cuts.toSorted((a, b) => a - b), bytes.length]
        const chunks = edges.slice(1).map((edge, index) => bytes.subarray(edges[index], edge))
        const changed = { firstLine, maxLines: 4, maxLineChars: 8 }
        expect(scan(chunks, changed)).toEqual(scan([bytes], changed))
      }),
    )
  })

  it('takes the lines of the range and counts the others', () => {
    const { lines, seenLines } = scan([Buffer.from('1\n2\n3\n4\n5')], { firstLine: 2, maxLines: 2 })
    expect(lines.map(({ number, text }) => [number, text])).toEqual([
      [2, '2'],
      [3, '3'],
    ])
    expect(seenLines).toBe(5)
  })

  it('reports when the range is complete', () => {
    const range = scanLineRange({ ...limits, maxLines: 2 })
    expect(range.push(Buffer.from('1\n'))).toBe(false)
    expect(range.push(Buffer.from('2\n'))).toBe(true)
  })

  it('stops at the byte limit but always takes one line', () => {
    const bytes = Buffer.from('aaaaaaaa\nbb\ncc\n')
    expect(scan([bytes], { maxTextBytes: 4 }).lines.map(({ text }) => text)).toEqual(['aaaaaaaa'])
    expect(scan([bytes], { maxTextBytes: 11 }).lines.map(({ text }) => text)).toEqual(['aaaaaaaa', 'bb'])
  })

  it('clips a long line between characters and counts the omitted bytes', () => {
    const [line] = scan([Buffer.from(`${'x'.repeat(9)}😀${'y'.repeat(20)}\r\n`)], { maxLineChars: 10 }).lines
    expect(line).toEqual({ number: 1, text: 'x'.repeat(9), omittedBytes: 24, lossy: false, crlf: true })
  })

  it('marks bytes that are not UTF-8', () => {
    const { lines } = scan([Buffer.from([0x61, 0xff, 0x0a, 0x62])])
    expect(lines.map(({ text, lossy }) => [text, lossy])).toEqual([
      ['a\uFFFD', true],
      ['b', false],
    ])
  })

  it('does not mark a replacement character of the file itself as lossy', () => {
    expect(scan([Buffer.from('\uFFFD\n')]).lines[0]?.lossy).toBe(false)
  })
})
