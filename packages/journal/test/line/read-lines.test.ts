import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { codePoint } from '@parley/testkit/code-point'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nodeFiles } from '../../src/disk/node-files.ts'
import { checksumOf, decodeLine, encodeLine, withChecksum } from '../../src/line/line.ts'
import { checkLine, MAX_LINE_BYTES, readPrefix, splitLines } from '../../src/line/read-lines.ts'
import { sampleLine, sampleLines } from '../sample-log.ts'
import { temporaryFolder } from '../temporary-folder.ts'

function split(content: string | Buffer, start = 0) {
  using folder = temporaryFolder()
  const path = join(folder.path, 'a')
  writeFileSync(path, content)
  const file = nodeFiles.open(path, 'read')
  const lines = [...splitLines(nodeFiles, file, start)]
  nodeFiles.close(file)
  return lines.map(({ bytes, ...rest }) => ({ ...rest, text: bytes?.toString() ?? null }))
}

describe('splitting into lines', () => {
  it('gives each line with its place, and the piece after the last LF as unfinished', () => {
    expect(split('a\n\nbc')).toEqual([
      { byteOffset: 0, endOffset: 2, text: 'a', terminated: true },
      { byteOffset: 2, endOffset: 3, text: '', terminated: true },
      { byteOffset: 3, endOffset: 5, text: 'bc', terminated: false },
    ])
    expect(split('')).toEqual([])
  })

  it('begins at the given offset', () => {
    expect(split('a\nbc\n', 2)).toEqual([{ byteOffset: 2, endOffset: 5, text: 'bc', terminated: true }])
    expect(split('a\n', 2)).toEqual([])
  })

  it('puts lines together across chunks', () => {
    const lines = [300, 262_143, 1, 700_000, 262_144, 5].map((length, i) => String(i).repeat(length))
    expect(split(lines.map((line) => `${line}\n`).join('')).map(({ text }) => text)).toEqual(lines)
  })

  it('passes over a line that is too long to hold, and goes on after it', () => {
    const content = Buffer.alloc(MAX_LINE_BYTES + 300_000, 'x')
    content.write('\nafter\n', content.length - 7)
    const lines = split(content)
    expect(lines.map(({ text }) => text)).toEqual([null, 'after'])
    expect(lines[1]?.byteOffset).toBe(content.length - 6)
  })
})

const check = (text: string) => checkLine(Buffer.from(text))

describe('a line', () => {
  it('has its keys in order and the checksum last', () => {
    const line = encodeLine({ seq: 7, at: 12, event: { type: 'turn.started' } }).text
    expect(line).toMatch(/^\{"seq":7,"at":12,"event":\{"type":"turn\.started"\},"crc":"[0-9a-f]{8}"\}$/)
    expect(check(line)).toEqual({ state: 'sound', seq: 7, type: 'turn.started' })
  })

  it('carries the crc32 that other programs compute', () => {
    expect(withChecksum('{"123456789":0}').text).toBe('{"123456789":0,"crc":"9377edd1"}')
  })

  it('comes back as the same event, whatever its text is', () => {
    const event = fc.record({ type: fc.string(), text: fc.string({ unit: codePoint }), more: fc.jsonValue() })
    const envelope = fc.record({ seq: fc.integer({ min: 1 }), at: fc.integer(), event })
    fc.assert(
      fc.property(envelope, (value) => {
        const line = encodeLine(value).text
        expect(line).not.toContain('\n')
        expect(check(line)).toEqual({ state: 'sound', seq: value.seq, type: value.event.type })
        expect(decodeLine(line)).toMatchObject(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  it('with any single bit flipped is never taken for good', () => {
    for (const text of sampleLines(12)) {
      const line = Buffer.from(text)
      for (let bit = 0; bit < line.length * 8; bit++) {
        const flipped = Buffer.from(line)
        flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        // A flip that makes an LF makes two lines: neither may be good.
        for (const part of splitAtLf(flipped)) expect(checkLine(part).state).toBe('bad')
      }
    }
  }, 30_000)

  it('cut anywhere is never taken for good', () => {
    const line = Buffer.from(sampleLine(4))
    for (let end = 0; end < line.length; end++) expect(checkLine(line.subarray(0, end)).state).toBe('bad')
  })

  it('joined to the next one, or followed by anything, is bad', () => {
    const line = sampleLine(1)
    for (const joined of [line + sampleLine(2), `${line}J${sampleLine(2)}`, `${line} `, `${line}\r`]) {
      expect(check(joined).state).toBe('bad')
    }
  })

  it('edited by hand is good without its checksum, bad with the old one', () => {
    const edited = sampleLine(1).replace('i1', 'i9')
    expect(check(edited)).toEqual({ state: 'bad', reason: 'checksum', seqHint: 1 })
    const bare = edited.replace(/,"crc":"[0-9a-f]{8}"/, '')
    expect(check(bare)).toEqual({ state: 'unchecked', seq: 1, type: 'item.completed' })
  })

  it('with any trace of a checksum is not taken for edited by hand', () => {
    const bare = sampleLine(1).replace(/,"crc":"[0-9a-f]{8}"/, '')
    const traces = [',"crb":"01234567"', ',"crc":"0123456"', ',"crc":"01234567","more":1', ',"crc":null', ',"c":""']
    for (const trace of traces) expect(check(`${bare.slice(0, -1)}${trace}}`).state).toBe('bad')
  })

  it('has its checksum in lower case only', () => {
    const letters = sampleLines(40).find((line) => /[a-f]/.test(line.slice(-10, -2))) ?? ''
    expect(check(letters.slice(0, -10) + letters.slice(-10).toUpperCase()).state).toBe('bad')
  })

  it('that is no envelope is bad even with a right checksum', () => {
    for (const json of ['{"a":1}', '{"seq":0,"at":1,"event":{"type":"x"}}', '{"seq":1,"at":1,"event":[]}']) {
      expect(check(withChecksum(json).text).state).toBe('bad')
    }
  })

  it('of another writer, with other keys or another order, is sound with a checksum', () => {
    const line = withChecksum('{"v":2,"event":{"more":1,"type":"x"},"at":1,"seq":3}').text
    expect(check(line)).toEqual({ state: 'sound', seq: 3, type: 'x' })
    expect(readPrefix(Buffer.from(line))).toBeNull()
  })

  it('is named by its own checksum, or by the one it would have', () => {
    const line = sampleLine(5)
    const bare = line.replace(/,"crc":"[0-9a-f]{8}"/, '')
    expect(checksumOf(Buffer.from(line))).toBe(line.slice(-10, -2))
    expect(checksumOf(Buffer.from(bare))).toBe(line.slice(-10, -2))
  })
})

function splitAtLf(bytes: Buffer): readonly Buffer[] {
  const lf = bytes.indexOf('\n')
  return lf === -1 ? [bytes] : [bytes.subarray(0, lf), ...splitAtLf(bytes.subarray(lf + 1))]
}
