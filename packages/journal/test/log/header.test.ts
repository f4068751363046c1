import { describe, expect, it } from 'vitest'
import { withChecksum } from '../../src/line/line.ts'
import { decodeHeader, encodeHeader, forkHeader, newHeader } from '../../src/log/header.ts'
import { SAMPLE_HEADER, SAMPLE_ID, sampleLine } from '../sample-log.ts'

const decode = (text: string) => decodeHeader(Buffer.from(text))

describe('a header', () => {
  it('has format, minReader and conversationId, then its checksum', () => {
    expect(SAMPLE_HEADER).toMatch(/^\{"format":2,"minReader":2,"conversationId":"019a1b2c[^"]*","crc":"[0-9a-f]{8}"\}$/)
  })

  it('comes back as it was written', () => {
    const plain = newHeader(SAMPLE_ID)
    const forked = forkHeader(SAMPLE_ID, { id: SAMPLE_ID, seq: 12, crc: '00ff00ff' }, null)
    expect(decode(encodeHeader(plain))).toEqual(plain)
    expect(decode(encodeHeader(forked))).toEqual(forked)
  })

  it('is not decoded with any single bit flipped', () => {
    const header = Buffer.from(encodeHeader(forkHeader(SAMPLE_ID, { id: SAMPLE_ID, seq: 12, crc: '00ff00ff' }, null)))
    for (let bit = 0; bit < header.length * 8; bit++) {
      const flipped = Buffer.from(header)
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(decodeHeader(flipped)).toBeNull()
    }
  })

  it('may be edited by hand when the checksum is taken out', () => {
    expect(decode(SAMPLE_HEADER.replace(/,"crc":"\w+"/, ''))).toEqual(newHeader(SAMPLE_ID))
  })

  it('of a newer program may have more keys', () => {
    const header = withChecksum(
      JSON.stringify({ format: 3, minReader: 2, conversationId: SAMPLE_ID, packed: true }),
    ).text
    expect(decode(header)).toEqual({ format: 3, minReader: 2, conversationId: SAMPLE_ID })
  })

  it('is not taken for an event, nor an event for a header', () => {
    expect(decode(sampleLine(1))).toBeNull()
    expect(decode('')).toBeNull()
  })
})
