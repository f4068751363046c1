import { describe, expect, it } from 'vitest'
import type { ModelEvent } from '../../../src/port/model-client.ts'
import { geminiWire } from '../../../src/wires/gemini/wire.ts'
import { fixture, readPieces, readStream } from '../../support/read-body.ts'
import { failureOf } from '../../support/requests.ts'

function completedOf(events: readonly ModelEvent[]) {
  const last = events.at(-1)
  if (last?.type !== 'completed') throw new Error(`not completed: ${JSON.stringify(last)}`)
  return last
}

function stream(...chunks: readonly object[]): string {
  return chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')
}

const chunk = (parts: readonly object[], finishReason?: string) => ({
  candidates: [{ content: { parts, role: 'model' }, ...(finishReason === undefined ? {} : { finishReason }) }],
})

describe('the Gemini wire, reading', () => {
  it('sends reasoning, text, calls and usage of a whole answer, and keeps each signature in its part', () => {
    const events = readPieces(geminiWire, [fixture('gemini-answer')])
    const [first, second] = events.flatMap((event) => (event.type === 'call' ? [event.callId] : []))
    expect(events).toEqual([
      { type: 'reasoningDelta', part: 'reasoning-0', text: 'Let me ' },
      { type: 'reasoningDelta', part: 'reasoning-0', text: 'see — 考え' },
      { type: 'reasoningDone', part: 'reasoning-0', text: 'Let me see — 考え' },
      { type: 'textDelta', part: 'text-1', text: 'Héllo ' },
      { type: 'textDelta', part: 'text-1', text: '漢字' },
      { type: 'textDelta', part: 'text-1', text: ' 👩‍💻!' },
      { type: 'textDone', part: 'text-1', text: 'Héllo 漢字 👩‍💻!' },
      { type: 'callDelta', part: 'call-0', name: 'read', argumentBytes: 0 },
      { type: 'call', part: 'call-0', callId: first, name: 'read', arguments: '{"path":"src/é.ts"}' },
      { type: 'callDelta', part: 'call-1', name: 'read', argumentBytes: 0 },
      { type: 'call', part: 'call-1', callId: second, name: 'read', arguments: '{"path":"b"}' },
      {
        type: 'completed',
        stop: 'stop',
        usage: { inputTokens: 1200, cachedInputTokens: 1024, outputTokens: 80, reasoningTokens: 32 },
        parts: [
          { text: 'Héllo 漢字 👩‍💻!' },
          { functionCall: { name: 'read', args: { path: 'src/é.ts' } }, thoughtSignature: 'EpEgCo4gAb4+9vvW' },
          { functionCall: { name: 'read', args: { path: 'b' } } },
        ],
      },
    ])
    expect(first).not.toBe(second)
  })

  it('reads the same events wherever the bytes are cut', () => {
    const bytes = fixture('gemini-answer')
    const whole = readPieces(geminiWire, [bytes])
    for (let at = 1; at < bytes.length; at += 1)
      expect(readPieces(geminiWire, [bytes.subarray(0, at), bytes.subarray(at)])).toEqual(whole)
  })

  it('says that the stream was cut, wherever it ends before the reason to stop', () => {
    const bytes = fixture('gemini-answer')
    const lastChunk = bytes.lastIndexOf('data: ')
    for (let at = 0; at < lastChunk; at += 7)
      expect(failureOf(readPieces(geminiWire, [bytes.subarray(0, at)])).code).toBe('streamCut')
  })

  it('keeps a signature that comes with no text', () => {
    expect(completedOf(readPieces(geminiWire, [fixture('gemini-text')])).parts).toEqual([
      { text: 'There are **3** "r"s.' },
      { text: '', thoughtSignature: 'EqsFCqgFAb4+9vvt' },
    ])
  })

  it('takes two equal calls without ids for two, and keeps ids that the API gives', () => {
    const call = { functionCall: { name: 'shell', args: { command: 'date' } } }
    const given = { functionCall: { id: 'fc-1', name: 'shell', args: {} } }
    const events = readStream(geminiWire, stream(chunk([call, call, given], 'STOP')))
    const ids = events.flatMap((event) => (event.type === 'call' ? [event.callId] : []))
    expect(new Set(ids).size).toBe(3)
    expect(ids[2]).toBe('fc-1')
    expect(completedOf(events).parts).toEqual([call, call, given])
  })

  it.each([
    ['SAFETY', 'filter'],
    ['RECITATION', 'filter'],
    ['BLOCKLIST', 'filter'],
    ['OTHER', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['STOP', 'stop'],
  ])('ends by %s as %s', (reason, stop) => {
    expect(completedOf(readStream(geminiWire, stream(chunk([{ text: 'a' }], reason)))).stop).toBe(stop)
  })

  it('takes a prompt that was blocked for a filtered answer', () => {
    const events = readStream(geminiWire, stream({ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } }))
    expect(completedOf(events)).toMatchObject({ stop: 'filter', parts: [] })
  })

  it('fails on a call that the model wrote wrongly, so that it is asked again', () => {
    const events = readStream(geminiWire, stream(chunk([], 'MALFORMED_FUNCTION_CALL')))
    expect(failureOf(events).code).toBe('malformedStream')
  })

  it.each([
    ['STOP', [], /an empty answer, STOP/],
    ['OTHER', [{ text: 'Hm', thought: true }], /an empty answer, OTHER/],
    ['UNEXPECTED_TOOL_CALL', [], /a tool call/],
    ['MALFORMED_RESPONSE', [{ text: 'a' }], /its answer/],
  ])('asks again after an answer that is none: %s with %j', (reason, parts, message) => {
    const failure = failureOf(readStream(geminiWire, stream(chunk(parts, reason))))
    expect(failure).toMatchObject({ code: 'malformedStream', retry: 'short', message: expect.stringMatching(message) })
  })

  it('says why it was refused in the middle of a stream', () => {
    const end = { candidates: [{ finishReason: 'TOO_MANY_TOOL_CALLS', finishMessage: 'Too many calls in a row.' }] }
    const failure = failureOf(readStream(geminiWire, stream(chunk([{ text: 'a' }]), end)))
    expect(failure).toMatchObject({
      code: 'invalidRequest',
      message: expect.stringContaining('Too many calls in a row.'),
    })
  })

  it.each([
    [{ name: 'shell', willContinue: true }],
    [{ partialArgs: [{ jsonPath: '$.command', stringValue: 'rm' }], willContinue: true }],
    [{}],
  ])('runs no call of which only a piece came: %j', (functionCall) => {
    const events = readStream(geminiWire, stream(chunk([{ functionCall }], 'STOP')))
    expect(failureOf(events).code).toBe('malformedStream')
    expect(events.filter(({ type }) => type === 'call')).toEqual([])
  })

  it('reads an error that stands in the stream as a plain body', () => {
    const error = { error: { code: 503, status: 'UNAVAILABLE', message: 'The model is overloaded.' } }
    const events = readStream(geminiWire, `${stream(chunk([{ text: 'a' }]))}${JSON.stringify(error, null, 2)}\n`)
    expect(failureOf(events).code).toBe('overloaded')
  })

  it.each([
    [429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota.', 'rateLimited'],
    [503, 'UNAVAILABLE', 'The model is overloaded.', 'overloaded'],
    [404, 'NOT_FOUND', 'models/gemini-9 is not found for API version v1beta.', 'unknownModel'],
    [
      400,
      'INVALID_ARGUMENT',
      'The input token count (2000000) exceeds the maximum number of tokens allowed.',
      'contextTooLong',
    ],
    [400, 'INVALID_ARGUMENT', 'Unknown name "x".', 'invalidRequest'],
  ])('explains the error %i %s %s', (code, status, message, failure) => {
    expect(failureOf(readStream(geminiWire, stream({ error: { code, status, message } }))).code).toBe(failure)
  })

  it('says the key is refused, and waits as long as it is told', () => {
    const reason = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }
    const invalid = { code: 400, status: 'INVALID_ARGUMENT', message: 'API key not valid.', details: [reason] }
    expect(failureOf(readStream(geminiWire, stream({ error: invalid }))).code).toBe('auth')
    const retry = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.4s' }
    const limited = { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'Too many.', details: [retry] }
    expect(failureOf(readStream(geminiWire, stream({ error: limited })))).toMatchObject({ retryAfterMs: 34_400 })
  })
})
