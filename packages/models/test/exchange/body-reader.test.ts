import { cutBytes, everyOffset } from '@parley/testkit'
import { isLong } from '@parley/testkit/long-runs'
import { describe, expect, it } from 'vitest'
import { createStreamedBodyReader } from '../../src/exchange/body-reader.ts'
import { defaultLimits } from '../../src/port/client-ports.ts'
import { isTerminal, type ModelEvent } from '../../src/port/model-client.ts'
import { anthropicWire } from '../../src/wires/anthropic/wire.ts'
import { chatWire } from '../../src/wires/chat/wire.ts'
import { geminiWire } from '../../src/wires/gemini/wire.ts'
import { responsesWire } from '../../src/wires/responses/wire.ts'
import { chatChunk, explain, fixture, readPieces, readStream, responsesEvent } from '../support/read-body.ts'
import { failureOf, requestOf, textOf } from '../support/requests.ts'

const RECORDED = [
  ['responses-answer', responsesWire],
  ['responses-failed', responsesWire],
  ['responses-error-event', responsesWire],
  ['responses-incomplete', responsesWire],
  ['chat-answer', chatWire],
  ['chat-error', chatWire],
  ['chat-local', chatWire],
  ['chat-think', chatWire],
  ['anthropic-answer', anthropicWire],
  ['anthropic-counts', anthropicWire],
  ['anthropic-error', anthropicWire],
  ['anthropic-length', anthropicWire],
  ['anthropic-refusal', anthropicWire],
  ['gemini-answer', geminiWire],
  ['gemini-length', geminiWire],
  ['gemini-parallel', geminiWire],
  ['gemini-pieces', geminiWire],
  ['gemini-safety', geminiWire],
  ['gemini-text', geminiWire],
] as const

/** Offsets at which the bytes are cut alone: each reads them all again, so that a long recording has every fifth tried. */
function offsetsOf(bytes: Uint8Array): number[] {
  return everyOffset(bytes).filter((offset) => isLong || bytes.length < 1000 || offset % 5 === 0)
}

describe.each(RECORDED)('the recorded bytes of %s', (name, wire) => {
  const bytes = fixture(name)
  const whole = readPieces(wire, [bytes])

  // Compared as text and asserted once: thousands of deep comparisons would be most of the time.
  const expected = JSON.stringify(whole)

  // Byte by byte it is cut at all of them together.
  it('give the same events cut at any offset', { timeout: 60_000 }, () => {
    const differing = offsetsOf(bytes).filter(
      (offset) => JSON.stringify(readPieces(wire, cutBytes(bytes, [offset]))) !== expected,
    )
    expect(differing).toEqual([])
  })

  it('give the same events byte by byte', () => {
    expect(readPieces(wire, cutBytes(bytes, everyOffset(bytes)))).toEqual(whole)
  })

  it('end as a cut stream does, or as the whole does, when they break off at any offset', { timeout: 60_000 }, () => {
    const text = textOf(whole)
    const calls = callsOf(whole)
    const wrong = offsetsOf(bytes).filter((offset) => {
      const events = readPieces(wire, [bytes.subarray(0, offset)])
      const last = events.at(-1)
      const isCut = last?.type === 'failed' && last.failure.code === 'streamCut'
      const isPart = text.startsWith(textOf(events)) && calls.startsWith(callsOf(events))
      return events.filter(isTerminal).length !== 1 || !isPart || !(isCut || isWholeEnd(events, whole))
    })
    expect(wrong).toEqual([])
  })
})

function callsOf(events: readonly ModelEvent[]): string {
  return events.flatMap((event) => (event.type === 'call' ? [JSON.stringify(event)] : [])).join('')
}

/** Usage may come after the finish reason, so a stream without it is complete, with all its text and calls. */
function isWholeEnd(events: readonly ModelEvent[], whole: readonly ModelEvent[]): boolean {
  const [last, expected] = [events.at(-1), whole.at(-1)]
  if (last?.type !== 'completed' || expected?.type !== 'completed')
    return JSON.stringify(last) === JSON.stringify(expected)
  const isSame = JSON.stringify([last.parts, last.stop]) === JSON.stringify([expected.parts, expected.stop])
  return isSame && textOf(events) === textOf(whole) && callsOf(events) === callsOf(whole)
}

describe('a response body', () => {
  it('that breaks off before the final event is never complete', () => {
    const text = fixture('responses-answer').toString()
    const final = text.indexOf('event: response.completed')
    for (let offset = 0; offset <= final; offset += 7) {
      expect(failureOf(readStream(responsesWire, text.slice(0, offset))).code).toBe('streamCut')
    }
  })

  it('may use bare carriage returns, comments, ids and unknown fields', () => {
    const text = `: hi\nid: 1\nretry: 5\nnonsense\n${chatChunk({ content: 'Hi' }, 'stop')}`.replaceAll('\n', '\r')
    expect(textOf(readStream(chatWire, text))).toBe('Hi')
  })

  it('may begin with a byte order mark and leave out the space after the colon', () => {
    const text = `\uFEFF${chatChunk({ content: 'Hi' }, 'stop').replace('data: ', 'data:')}`
    expect(textOf(readStream(chatWire, text))).toBe('Hi')
  })

  it.each(['{"choices":', 'null', '[1]', 'hello'])('with the data %s is malformed and worth another try', (data) => {
    const failure = failureOf(readStream(chatWire, `data: ${data}\n\n`))
    expect(failure).toMatchObject({ code: 'malformedStream', retry: 'short' })
  })

  it('with an event of 10 MB is read', () => {
    const text = 'x'.repeat(10 * 1024 * 1024)
    const stream = Buffer.from(responsesEvent('response.output_text.done', { output_index: 0, text }))
    const pieces = cutBytes(
      stream,
      Array.from({ length: 160 }, (_, index) => index * 65_536),
    )
    expect(readPieces(responsesWire, pieces)[0]).toMatchObject({ type: 'textDone', text })
  })

  it('with an event above the cap fails without keeping it', () => {
    const limits = { ...defaultLimits, maxEventChars: 1_000 }
    const reader = responsesWire.createReader(requestOf(), explain.wire)
    const body = createStreamedBodyReader({ reader, explain, limits, wireName: 'responses' })
    const batches = Array.from({ length: 20 }, () => body.read(Buffer.from(`data: ${'x'.repeat(100)}`)))
    const first = batches.find(({ events }) => events.length > 0)
    expect(failureOf(first?.events ?? [])).toMatchObject({ code: 'oversizedEvent', retry: 'never' })
  })

  it('that never ends fails at the cap for a whole response', () => {
    const limits = { ...defaultLimits, maxResponseBytes: 1_000 }
    const reader = chatWire.createReader(requestOf(), explain.wire)
    const body = createStreamedBodyReader({ reader, explain, limits, wireName: 'chat' })
    const chunk = Buffer.from(chatChunk({ content: 'again and ' }))
    const events = Array.from({ length: 20 }, () => body.read(chunk).events).flat()
    expect(events.find((event) => event.type === 'failed')).toMatchObject({ failure: { code: 'responseTooLarge' } })
  })

  it('is alive with whole events and comments, not with a trickle within a line', () => {
    const reader = chatWire.createReader(requestOf(), explain.wire)
    const body = createStreamedBodyReader({ reader, explain, limits: defaultLimits, wireName: 'chat' })
    const alive = (text: string) => body.read(Buffer.from(text)).alive
    expect([alive('da'), alive('ta: '), alive('{}'), alive('\n\n'), alive(': '), alive('ping\n')]).toEqual([
      false,
      false,
      false,
      true,
      false,
      true,
    ])
  })
})
