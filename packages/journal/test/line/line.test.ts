import { describe, expect, it } from 'vitest'
import { encodeLine, envelopeText, storedLine } from '../../src/line/line.ts'

const line = (event: { type: string; [key: string]: unknown }) => encodeLine({ seq: 7, at: 1700000000000, event })

describe('the envelope of a line', () => {
  it('is the stored bytes with the conversation before them', () => {
    const stored = line({ type: 'item.delta', itemId: 'i1', text: 'a "quoted" \u2028 text' })
    const sent = envelopeText('c1', stored.elidedText)
    expect(sent).toContain(stored.text.slice(1))
    expect(JSON.parse(sent)).toEqual({ conversationId: 'c1', ...JSON.parse(stored.text) })
  })

  it('leaves out what only the provider understands, and keeps number and checksum', () => {
    const stored = line({
      type: 'model.responded',
      turnId: 't1',
      adapter: 'a',
      parts: [{ secret: ',"crc":"' }],
      text: '',
      calls: [],
    })
    const { seq, at, crc } = JSON.parse(stored.text)
    expect(JSON.parse(envelopeText('c1', stored.elidedText))).toEqual({
      conversationId: 'c1',
      seq,
      at,
      event: { type: 'model.responded', turnId: 't1', elided: true },
      crc,
    })
  })

  it('has no checksum when the line was edited by hand', () => {
    const text = '{"seq":3,"at":1,"event":{"type":"model.responded","turnId":"t1","parts":[]}}'
    const stored = storedLine({ seq: 3, type: 'model.responded', crc: null, text })
    expect(JSON.parse(envelopeText('c1', stored.elidedText))).toEqual({
      conversationId: 'c1',
      seq: 3,
      at: 1,
      event: { type: 'model.responded', turnId: 't1', elided: true },
    })
  })

  it('is whole for an event that only mentions a response in its text', () => {
    const text = '"event":{"type":"model.responded","turnId":"t1","parts":[]'
    const stored = line({ type: 'item.delta', itemId: 'i1', text })
    expect(JSON.parse(envelopeText('c1', stored.elidedText)).event).toEqual({
      type: 'item.delta',
      itemId: 'i1',
      text,
    })
  })
})
