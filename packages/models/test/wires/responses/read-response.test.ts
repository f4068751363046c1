import { describe, expect, it } from 'vitest'
import type { ModelEvent } from '../../../src/port/model-client.ts'
import { responsesWire } from '../../../src/wires/responses/wire.ts'
import { fixture, readPieces, readStream, responsesEvent } from '../../support/read-body.ts'
import { failureOf, requestOf, response } from '../../support/requests.ts'

const usage = { inputTokens: 1200, cachedInputTokens: 1024, outputTokens: 80, reasoningTokens: 32 }

const call = (place: number, callId: string) => ({
  type: 'function_call',
  id: `fc_${place}`,
  call_id: callId,
  name: 'shell',
  arguments: `{"command":"${place}"}`,
})

function completedOf(events: readonly ModelEvent[]) {
  const last = events.at(-1)
  if (last?.type !== 'completed') throw new Error(`not completed: ${JSON.stringify(last)}`)
  return last
}

describe('the Responses wire, reading', () => {
  it('sends reasoning, text, calls and usage of a whole answer', () => {
    const events = readPieces(responsesWire, [fixture('responses-answer')])
    expect(events.slice(0, -1)).toEqual([
      { type: 'reasoningDelta', part: 'reasoning-0-0', text: '**Looking** ' },
      { type: 'reasoningDelta', part: 'reasoning-0-0', text: 'at the test' },
      { type: 'reasoningDone', part: 'reasoning-0-0', text: '**Looking** at the test' },
      { type: 'textDelta', part: 'text-1-0', text: 'Héllo ' },
      { type: 'textDelta', part: 'text-1-0', text: '漢' },
      { type: 'textDelta', part: 'text-1-0', text: '字 👩‍💻' },
      { type: 'textDelta', part: 'text-1-0', text: '!' },
      { type: 'textDone', part: 'text-1-0', text: 'Héllo 漢字 👩‍💻!' },
      { type: 'callDelta', part: 'call-2', name: 'read', argumentBytes: 0 },
      { type: 'call', part: 'call-2', callId: 'call_A', name: 'read', arguments: '{"path":"src/é.ts"}' },
      { type: 'callDelta', part: 'call-3', name: 'shell', argumentBytes: 0 },
      { type: 'call', part: 'call-3', callId: 'call_B', name: 'shell', arguments: '{"command":"npm test"}' },
    ])
    expect(completedOf(events)).toMatchObject({ usage, stop: 'stop' })
  })

  it('keeps the output items unchanged, encrypted reasoning included, in their order of keys', () => {
    const { parts } = completedOf(readPieces(responsesWire, [fixture('responses-answer')]))
    const sent = fixture('responses-answer')
      .toString()
      .split('\n')
      .filter((line) => line.startsWith('data: {"type":"response.output_item.done"'))
      .map((line) => JSON.parse(line.slice(6)).item)
    expect(JSON.stringify(parts)).toBe(JSON.stringify(sent))
    expect(parts[0]).toMatchObject({ type: 'reasoning', encrypted_content: 'gAAAAABo…opaque==' })
  })

  it('reads the items from the final response when none of them came by themselves', () => {
    const output = [{ type: 'message', content: [{ type: 'output_text', text: 'Hi' }] }, call(1, 'c1')]
    const events = readStream(responsesWire, responsesEvent('response.completed', { response: { output } }))
    expect(events.map(({ type }) => type)).toEqual(['textDone', 'call', 'completed'])
    expect(completedOf(events).parts).toEqual(output)
  })

  it('reports a failed response with the wait it names', () => {
    const failure = failureOf(readPieces(responsesWire, [fixture('responses-failed')]))
    expect(failure).toMatchObject({ code: 'rateLimited', retry: 'short', retryAfterMs: 1500 })
  })

  it('reports an error event', () => {
    const failure = failureOf(readPieces(responsesWire, [fixture('responses-error-event')]))
    expect(failure).toMatchObject({ code: 'providerError', retry: 'short' })
    expect(failure.message).toContain('The server had an error')
  })

  it('completes an answer cut by the length limit without its half call and its trailing reasoning', () => {
    const events = readPieces(responsesWire, [fixture('responses-incomplete')])
    expect(completedOf(events)).toMatchObject({ stop: 'length', parts: [{ type: 'message' }] })
    expect(events.some(({ type }) => type === 'call')).toBe(false)
  })

  it('takes a response for cut that is incomplete without a reason', () => {
    const response = { status: 'incomplete', output: [] }
    expect(completedOf(readStream(responsesWire, responsesEvent('response.incomplete', { response })))).toMatchObject({
      stop: 'length',
    })
  })

  it('sends a call once when its item or its call id is repeated', () => {
    const item = call(0, 'c1')
    const done = (place: number, what: object) =>
      responsesEvent('response.output_item.done', { output_index: place, item: what })
    const stream =
      done(0, item) + done(0, item) + done(1, item) + responsesEvent('response.completed', { response: {} })
    const events = readStream(responsesWire, stream)
    expect(events.filter(({ type }) => type === 'call')).toHaveLength(1)
    expect(completedOf(events).parts).toEqual([item])
  })

  it('renames a call whose id an earlier response used, in the event and in the part', () => {
    const earlier = response({ calls: [{ callId: 'c1', name: 'shell', arguments: '{}' }] })
    const stream =
      responsesEvent('response.output_item.done', { output_index: 0, item: call(0, 'c1') }) +
      responsesEvent('response.completed', { response: {} })
    const events = readStream(responsesWire, stream, requestOf([earlier]))
    const renamed = events.find((event) => event.type === 'call')
    expect(renamed).toHaveProperty('callId', expect.any(String))
    expect(renamed?.callId).not.toBe('c1')
    expect(completedOf(events).parts).toEqual([{ ...call(0, 'c1'), call_id: renamed?.callId }])
  })

  it('reports the size of long arguments at intervals', () => {
    const begin = responsesEvent('response.output_item.added', {
      output_index: 0,
      item: { type: 'function_call', name: 'shell' },
    })
    const fragment = responsesEvent('response.function_call_arguments.delta', {
      output_index: 0,
      delta: 'é'.repeat(300),
    })
    const events = readStream(responsesWire, begin + fragment.repeat(4))
    expect(events.slice(0, -1)).toEqual([
      { type: 'callDelta', part: 'call-0', name: 'shell', argumentBytes: 0 },
      { type: 'callDelta', part: 'call-0', argumentBytes: 1200 },
      { type: 'callDelta', part: 'call-0', argumentBytes: 2400 },
    ])
  })

  it('keeps a summary and the raw reasoning of one item apart', () => {
    const item = {
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: 'Short' }],
      content: [{ type: 'reasoning_text', text: 'The long thought' }],
    }
    const delta = { output_index: 0, item_id: 'rs_1', content_index: 0, delta: 'The long thought' }
    const stream =
      responsesEvent('response.reasoning_text.delta', delta) +
      responsesEvent('response.output_item.done', { output_index: 0, item }) +
      responsesEvent('response.completed', { response: { output: [] } })
    expect(readStream(responsesWire, stream).slice(0, -1)).toEqual([
      { type: 'reasoningDelta', part: 'raw-0-0', text: 'The long thought', raw: true },
      { type: 'reasoningDone', part: 'reasoning-0-0', text: 'Short' },
      { type: 'reasoningDone', part: 'raw-0-0', text: 'The long thought', raw: true },
    ])
  })

  it('keeps an item of a type it does not know, and takes arguments that are an object', () => {
    const search = { type: 'tool_search_call', arguments: { paths: ['a'] }, content: 'x', status: 'completed' }
    const called = { type: 'function_call', call_id: 'c1', name: 'read', arguments: { path: 'a' } }
    const stream = [search, called]
      .map((item, index) => responsesEvent('response.output_item.done', { output_index: index, item }))
      .join('')
    const events = readStream(
      responsesWire,
      stream + responsesEvent('response.completed', { response: { output: [] } }),
    )
    expect(completedOf(events).parts).toEqual([search, called])
    expect(events[0]).toMatchObject({ type: 'call', arguments: '{"path":"a"}' })
  })

  it('takes an item without the fields it needs for malformed', () => {
    const stream = responsesEvent('response.output_item.done', { output_index: 0, item: { type: 7 } })
    expect(failureOf(readStream(responsesWire, stream))).toMatchObject({ code: 'malformedStream', retry: 'short' })
  })
})
