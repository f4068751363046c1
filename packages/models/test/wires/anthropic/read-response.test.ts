import { describe, expect, it } from 'vitest'
import type { ModelEvent } from '../../../src/port/model-client.ts'
import { anthropicWire } from '../../../src/wires/anthropic/wire.ts'
import { fixture, readPieces, readStream } from '../../support/read-body.ts'
import { failureOf, requestOf, response } from '../../support/requests.ts'

function completedOf(events: readonly ModelEvent[]) {
  const last = events.at(-1)
  if (last?.type !== 'completed') throw new Error(`not completed: ${JSON.stringify(last)}`)
  return last
}

function stream(...events: readonly object[]): string {
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
}

const start = { type: 'message_start', message: { usage: { input_tokens: 3, output_tokens: 1 } } }
const text = (index: number, words: string) => [
  { type: 'content_block_start', index, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index, delta: { type: 'text_delta', text: words } },
  { type: 'content_block_stop', index },
]
const call = (index: number, id: string, input: string) => [
  { type: 'content_block_start', index, content_block: { type: 'tool_use', id, name: 'shell', input: {} } },
  { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: input } },
  { type: 'content_block_stop', index },
]
const ending = (reason: string) => [
  { type: 'message_delta', delta: { stop_reason: reason }, usage: { output_tokens: 9 } },
  { type: 'message_stop' },
]

describe('the Messages wire, reading', () => {
  it('sends reasoning, text, calls and usage of a whole answer, and keeps blocks as they go back', () => {
    expect(readPieces(anthropicWire, [fixture('anthropic-answer')])).toEqual([
      { type: 'reasoningDelta', part: 'reasoning-0', text: 'Let me ' },
      { type: 'reasoningDelta', part: 'reasoning-0', text: 'see — 考え' },
      { type: 'reasoningDone', part: 'reasoning-0', text: 'Let me see — 考え' },
      { type: 'textDelta', part: 'text-2', text: 'Héllo ' },
      { type: 'textDelta', part: 'text-2', text: '漢字' },
      { type: 'textDelta', part: 'text-2', text: ' 👩‍💻!' },
      { type: 'textDone', part: 'text-2', text: 'Héllo 漢字 👩‍💻!' },
      { type: 'callDelta', part: 'call-3', name: 'read', argumentBytes: 0 },
      { type: 'call', part: 'call-3', callId: 'toolu_A', name: 'read', arguments: '{"path": "src/é.ts"}' },
      { type: 'callDelta', part: 'call-4', name: 'list', argumentBytes: 0 },
      { type: 'call', part: 'call-4', callId: 'toolu_B', name: 'list', arguments: '{}' },
      {
        type: 'completed',
        stop: 'stop',
        usage: {
          inputTokens: 1712,
          cachedInputTokens: 1024,
          cacheWriteTokens: 512,
          outputTokens: 80,
          reasoningTokens: 32,
        },
        parts: [
          { type: 'thinking', thinking: 'Let me see — 考え', signature: 'EqQBCgIYAhIM1gbcDa9GJwZA2b3h' },
          { type: 'redacted_thinking', data: 'EmwKAhgBEgy3va3p' },
          { type: 'text', text: 'Héllo 漢字 👩‍💻!' },
          { type: 'tool_use', id: 'toolu_A', name: 'read', input: { path: 'src/é.ts' } },
          { type: 'tool_use', id: 'toolu_B', name: 'list', input: {} },
        ],
      },
    ])
  })

  it('reads the same events wherever the bytes are cut', () => {
    const bytes = fixture('anthropic-answer')
    const whole = readPieces(anthropicWire, [bytes])
    for (let at = 1; at < bytes.length; at += 1)
      expect(readPieces(anthropicWire, [bytes.subarray(0, at), bytes.subarray(at)])).toEqual(whole)
  })

  it('says that the stream was cut, wherever it ends before the reason to stop', () => {
    const bytes = fixture('anthropic-answer')
    const ended = bytes.indexOf('event: message_delta')
    for (let at = 0; at < ended; at += 7)
      expect(failureOf(readPieces(anthropicWire, [bytes.subarray(0, at)])).code).toBe('streamCut')
  })

  it('reads a message that was not streamed', () => {
    const content = [
      { type: 'text', text: 'Hi' },
      { type: 'tool_use', id: 'toolu_A', name: 'read', input: { path: 'a' } },
    ]
    const message = { type: 'message', content, stop_reason: 'tool_use', usage: { input_tokens: 4, output_tokens: 2 } }
    const events = readStream(anthropicWire, stream(message))
    expect(completedOf(events)).toMatchObject({ parts: content, usage: { inputTokens: 4, outputTokens: 2 } })
    expect(events).toContainEqual(expect.objectContaining({ type: 'call', arguments: '{"path":"a"}' }))
  })

  it('leaves out a call that the output limit cut', () => {
    const events = readPieces(anthropicWire, [fixture('anthropic-length')])
    expect(completedOf(events)).toMatchObject({ stop: 'length', parts: [{ type: 'text', text: 'A patch:' }] })
    expect(events.filter(({ type }) => type === 'call')).toEqual([])
  })

  it('leaves out reasoning at the end of a cut answer', () => {
    const thinking = [
      { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: 's' } },
      { type: 'content_block_stop', index: 0 },
    ]
    const events = readStream(anthropicWire, stream(start, ...thinking, ...ending('max_tokens')))
    expect(completedOf(events).parts).toEqual([])
  })

  it('names a refusal, and a window that is full', () => {
    expect(completedOf(readPieces(anthropicWire, [fixture('anthropic-refusal')]))).toMatchObject({ stop: 'filter' })
    const full = readStream(anthropicWire, stream(start, ...text(0, 'a'), ...ending('model_context_window_exceeded')))
    expect(completedOf(full).stop).toBe('context')
  })

  it('reports an error inside a stream whose status was 200', () => {
    const failure = failureOf(readPieces(anthropicWire, [fixture('anthropic-error')]))
    expect(failure).toMatchObject({ code: 'overloaded', message: expect.stringContaining('Overloaded') })
  })

  it('gives a call an id of its own when its id is taken or missing', () => {
    const request = requestOf([response({ calls: [{ callId: 'toolu_A', name: 'shell', arguments: '{}' }] })])
    const calls = [...call(0, 'toolu_A', '{"command":"ls"}'), ...call(1, '', '{"command":"pwd"}')]
    const events = readStream(anthropicWire, stream(start, ...calls, ...ending('tool_use')), request)
    const ids = events.flatMap((event) => (event.type === 'call' ? [event.callId] : []))
    expect(new Set(['toolu_A', '', ...ids]).size).toBe(4)
    expect(completedOf(events).parts).toMatchObject(ids.map((id) => ({ type: 'tool_use', id })))
  })

  it('takes a repeated start, and no second message after content', () => {
    const once = stream(start, start, ...text(0, 'a'), ...ending('end_turn'))
    expect(completedOf(readStream(anthropicWire, once)).stop).toBe('stop')
    const twice = stream(start, ...text(0, 'a'), start, ...text(0, 'b'), ...ending('end_turn'))
    expect(failureOf(readStream(anthropicWire, twice)).code).toBe('malformedStream')
  })

  it.each([
    ['no JSON', 'data: {"type":\n\n'],
    ['a piece of no block', stream(start, { type: 'content_block_delta', index: 3, delta: { type: 'text_delta' } })],
  ])('fails on %s', (_name, bytes) => {
    expect(failureOf(readStream(anthropicWire, bytes)).code).toBe('malformedStream')
  })

  it('keeps all of a paused answer, with the calls that run at the provider, for the request that goes on', () => {
    const call = { type: 'server_tool_use', id: 'srv1', name: 'web_search', input: {} }
    const found = { type: 'web_search_tool_result', tool_use_id: 'srv1', content: [{ type: 'web_search_result' }] }
    const piece = { type: 'input_json_delta', partial_json: '{"query":"parley"}' }
    const events = readStream(
      anthropicWire,
      stream(
        start,
        ...text(0, 'a'),
        { type: 'content_block_start', index: 1, content_block: call },
        { type: 'content_block_delta', index: 1, delta: piece },
        { type: 'content_block_stop', index: 1 },
        { type: 'content_block_start', index: 2, content_block: found },
        { type: 'content_block_stop', index: 2 },
        ...ending('pause_turn'),
      ),
    )
    expect(events.filter(({ type }) => type === 'call')).toEqual([])
    expect(completedOf(events)).toMatchObject({
      stop: 'paused',
      parts: [{ type: 'text', text: 'a' }, { ...call, input: { query: 'parley' } }, found],
    })
  })

  it('leaves text of white space alone out of what goes back, since the API rejects it', () => {
    const events = readStream(
      anthropicWire,
      stream(start, ...text(0, '\n\n'), ...call(1, 'toolu_A', '{}'), ...ending('tool_use')),
    )
    expect(completedOf(events).parts).toMatchObject([{ type: 'tool_use', id: 'toolu_A' }])
  })

  it('counts what was read from the cache when only the other input is counted again', () => {
    const begin = { type: 'message_start', message: { usage: { input_tokens: 43, cache_read_input_tokens: 1024 } } }
    const end = {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn' },
      usage: { input_tokens: 61, output_tokens: 2 },
    }
    const events = readStream(anthropicWire, stream(begin, ...text(0, 'a'), end))
    expect(completedOf(events).usage).toMatchObject({ inputTokens: 1085, cachedInputTokens: 1024, outputTokens: 2 })
  })

  it('takes the input of a call from its pieces where a gateway sends it at the start too', () => {
    const begin = { type: 'content_block_start', index: 0 }
    const block = { type: 'tool_use', id: 'toolu_A', name: 'read', input: { path: 'a' } }
    const piece = {
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'input_json_delta', partial_json: '{"path":"a"}' },
    }
    const end = { type: 'content_block_stop', index: 0 }
    const events = [{ ...begin, content_block: block }, piece, end]
    const once = readStream(anthropicWire, stream(start, ...events, ...ending('tool_use')))
    const whole = readStream(anthropicWire, stream(start, ...events.toSpliced(1, 1), ...ending('tool_use')))
    for (const read of [once, whole])
      expect(read).toContainEqual(expect.objectContaining({ type: 'call', arguments: '{"path":"a"}' }))
  })

  it('passes over events and blocks that only a newer API has', () => {
    const newer = [
      { type: 'content_block_start', index: 0, content_block: { type: 'fallback', to: { model: 'm' } } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_note', note: 1 },
    ]
    const events = readStream(anthropicWire, stream(start, ...newer, ...text(1, 'Hi'), ...ending('end_turn')))
    expect(completedOf(events).parts).toEqual([{ type: 'text', text: 'Hi' }])
  })
})
