import { codePoint } from '@parley/testkit/code-point'
import { runsOf } from '@parley/testkit/long-runs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createByteBuffer, createLineSplitter, type SplitLine } from '../../src/transport/line-splitter.ts'

const large = 1 << 20
const tooLong = { kind: 'unreadable', reason: 'tooLong' }
const notUtf8 = { kind: 'unreadable', reason: 'notUtf8' }

function split(chunks: readonly (string | Uint8Array)[], maxLineBytes = large): SplitLine[] {
  const splitter = createLineSplitter(maxLineBytes)
  return chunks.flatMap((chunk) => splitter.push(Buffer.from(chunk)))
}

/** Decodes the bytes line by line, without chunks: the reference for the splitter. */
function expected(bytes: Buffer, maxLineBytes: number): SplitLine[] {
  const lines: SplitLine[] = []
  let start = 0
  for (let at = 0; at <= bytes.length; at += 1) {
    const whole = bytes[at] === 0x0a
    if (!whole && at < bytes.length) continue
    const line = bytes.subarray(start, at)
    start = at + 1
    if (line.length > maxLineBytes) lines.push({ kind: 'unreadable', reason: 'tooLong' })
    else if (whole) lines.push(...decode(line))
  }
  return lines
}

function decode(line: Buffer): SplitLine[] {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(line)
    return text === '' || text === '\r' ? [] : [text]
  } catch {
    return [{ kind: 'unreadable', reason: 'notUtf8' }]
  }
}

describe('line splitter', () => {
  it('splits on line feeds only', () => {
    expect(split(['a\u2028b\u2029c\u0085d\ve\fg\rh\ni\n'])).toEqual(['a\u2028b\u2029c\u0085d\ve\fg\rh', 'i'])
  })

  it('ignores empty lines and tolerates CRLF', () => {
    expect(split(['\n\r\n{}\r\n\n1\n'])).toEqual(['{}\r', '1'])
  })

  it('joins a half-written line with the rest that comes later', () => {
    expect(split(['{"a"'])).toEqual([])
    expect(split(['{"a"', ':1}', '\n'])).toEqual(['{"a":1}'])
  })

  it('never yields a last line without a line feed', () => {
    expect(split(['1\n{"torn":'])).toEqual(['1'])
  })

  it('decodes characters that are cut between chunks', () => {
    const bytes = Buffer.from('"é€😀"\n')
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      expect(split([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(['"é€😀"'])
    }
  })

  it('marks only the line with invalid UTF-8 as unreadable', () => {
    const bad = [[0xff], [0xfe], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf0, 0x9f, 0x98]]
    for (const bytes of bad) {
      expect(split([Buffer.from([0x31, 0x0a, ...bytes, 0x0a, 0x32, 0x0a])])).toEqual(['1', notUtf8, '2'])
    }
  })

  it('reports a long line once, as soon as it passes the limit, and keeps reading', () => {
    const splitter = createLineSplitter(10)
    expect(splitter.push(Buffer.from('12345'))).toEqual([])
    expect(splitter.push(Buffer.from('678901'))).toEqual([tooLong])
    expect(splitter.push(Buffer.from('more of it'))).toEqual([])
    expect(splitter.push(Buffer.from('and its end\n1234567890\n2\n'))).toEqual(['1234567890', '2'])
  })

  it('keeps no bytes of a line that it discards', () => {
    const splitter = createLineSplitter(large)
    const chunk = Buffer.alloc(64 * 1024, 'x')
    const before = process.memoryUsage().arrayBuffers
    const reports = Array.from({ length: 4096 }, () => splitter.push(chunk)).flat()
    expect(reports).toEqual([tooLong])
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * large)
    expect(splitter.push(Buffer.from('\n1\n'))).toEqual(['1'])
  })

  it('returns the same lines for any cut of any bytes', () => {
    const piece = fc.oneof(
      fc.constantFrom('\n', '\r\n', '\n\n', '{"id":1}\n', 'é', '😀\n', '\u2028', '"long enough to pass the limit"'),
      fc.string({ unit: codePoint, maxLength: 8 }),
      fc.uint8Array({ maxLength: 4 }),
    )
    const cuts = fc.array(fc.nat(200), { maxLength: 12 })
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), cuts, fc.integer({ min: 1, max: 40 }), (pieces, at, limit) => {
        const bytes = Buffer.concat(pieces.map((each) => Buffer.from(each)))
        const edges = [0, ...at.map((each) => each % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
        const chunks = edges.slice(1).map((edge, index) => bytes.subarray(edges[index], edge))
        expect(split(chunks, limit)).toEqual(expected(bytes, limit))
      }),
      { numRuns: runsOf(500) },
    )
  })

  it('returns the same lines when each chunk has one byte', () => {
    const bytes = Buffer.from('{"text":"é€😀"}\r\n\n[1]\n"torn')
    expect(split([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(['{"text":"é€😀"}\r', '[1]'])
  })
})

it('a byte buffer returns appended bytes of any size, and can be reused', () => {
  const size = fc.oneof(fc.nat(10), fc.nat(200_000), fc.constantFrom(65_535, 65_536, 65_537))
  fc.assert(
    fc.property(fc.array(fc.array(size, { maxLength: 4 }), { maxLength: 3 }), (lines) => {
      const held = createByteBuffer(1 << 20)
      for (const sizes of lines) {
        const chunks = sizes.map((each, index) => Buffer.alloc(each, index + 1))
        for (const chunk of chunks) held.append(chunk)
        const whole = Buffer.concat(chunks)
        expect(held.sizeBytes).toBe(whole.length)
        expect(held.bytes().equals(whole)).toBe(true)
        held.clear()
        expect(held.sizeBytes).toBe(0)
      }
    }),
    { numRuns: 50 },
  )
})
