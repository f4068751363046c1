import { describe, expect, it } from 'vitest'
import type { ModelEvent } from '../../../src/port/model-client.ts'
import { chatWire } from '../../../src/wires/chat/wire.ts'
import { chatChunk, fixture, readPieces, readStream } from '../../support/read-body.ts'
import { failureOf, requestOf, response } from '../../support/requests.ts'

const DONE = 'data: [DONE]\n\n'

function completedOf(events: readonly ModelEvent[]) {
  const last = events.at(-1)
  if (last?.type !== 'completed') throw new Error(`not completed: ${JSON.stringify(last)}`)
  return last
}

function callsOf(events: readonly ModelEvent[]) {
  return events.flatMap((event) => (event.type === 'call' ? [event] : []))
}

function fragment(call: object): string {
  return chatChunk({ tool_calls: [call] })
}

describe('the Chat Completions wire, reading', () => {
  it('sends reasoning, text, calls and usage of a whole answer', () => {
    const events = readPieces(chatWire, [fixture('chat-answer')])
    expect(events).toEqual([
      { type: 'reasoningDelta', part: 'reasoning-0', text: 'Let me ', raw: true },
      { type: 'reasoningDelta', part: 'reasoning-0', text: 'see — 考え', raw: true },
      { type: 'reasoningDone', part: 'reasoning-0', text: 'Let me see — 考え', raw: true },
      { type: 'textDelta', part: 'text-1', text: 'Héllo ' },
      { type: 'textDelta', part: 'text-1', text: '漢字' },
      { type: 'textDelta', part: 'text-1', text: ' 👩‍💻!' },
      { type: 'textDone', part: 'text-1', text: 'Héllo 漢字 👩‍💻!' },
      { type: 'callDelta', part: 'call-0', name: 'read', argumentBytes: 0 },
      { type: 'callDelta', part: 'call-1', name: 'shell', argumentBytes: 0 },
      { type: 'call', part: 'call-0', callId: 'call_A', name: 'read', arguments: '{"path":"src/é.ts"}' },
      { type: 'call', part: 'call-1', callId: 'call_B', name: 'shell', arguments: '{"command":"npm test"}' },
      {
        type: 'completed',
        stop: 'stop',
        usage: { inputTokens: 1200, cachedInputTokens: 1024, outputTokens: 80, reasoningTokens: 32 },
        parts: [
          {
            role: 'assistant',
            content: 'Héllo 漢字 👩‍💻!',
            reasoning_content: 'Let me see — 考え',
            tool_calls: [
              { id: 'call_A', type: 'function', function: { name: 'read', arguments: '{"path":"src/é.ts"}' } },
              { id: 'call_B', type: 'function', function: { name: 'shell', arguments: '{"command":"npm test"}' } },
            ],
          },
        ],
      },
    ])
  })

  it('makes ids for the calls of a local server that leaves them out or repeats them, and needs no [DONE]', () => {
    const events = readPieces(chatWire, [fixture('chat-local')])
    const calls = callsOf(events)
    expect(calls.map((call) => call.arguments)).toEqual([
      '{"path":"a"}',
      '{"path":"b"}',
      '{"command":"ls"}',
      '{"command":"pwd"}',
    ])
    expect(new Set(calls.map(({ callId }) => callId)).size).toBe(4)
    expect(completedOf(events)).toMatchObject({ usage: { inputTokens: 7, outputTokens: 3 }, stop: 'stop' })
    const [message] = completedOf(events).parts
    expect(message).toMatchObject({ tool_calls: calls.map(({ callId }) => ({ id: callId })) })
  })

  it('does not give a call the id of an earlier response', () => {
    const earlier = response({ calls: [{ callId: 'call_0', name: 'shell', arguments: '{}' }] })
    const stream = fragment({ index: 0, id: 'call_0', function: { name: 'shell', arguments: '{}' } }) + DONE
    const [call] = callsOf(readStream(chatWire, stream, requestOf([earlier])))
    expect(call?.callId).toMatch(/^[a-z0-9]{9}$/)
  })

  it('makes the same ids again for the same request', () => {
    const once = readPieces(chatWire, [fixture('chat-local')])
    expect(readPieces(chatWire, [fixture('chat-local')])).toEqual(once)
  })

  it('joins the fragments of calls without an index by their id, then by the last one', () => {
    const stream =
      fragment({ id: 'a', function: { name: 'read', arguments: '{"n"' } }) +
      fragment({ function: { arguments: ':1}' } }) +
      fragment({ id: 'b', function: { name: 'read', arguments: '{"n":2}' } }) +
      DONE
    expect(callsOf(readStream(chatWire, stream))).toMatchObject([
      { callId: 'a', arguments: '{"n":1}' },
      { callId: 'b', arguments: '{"n":2}' },
    ])
  })

  it('takes a name that is repeated with every fragment for one call', () => {
    const stream = ['{"n"', ':', '1}'].map((text) =>
      fragment({ index: 0, function: { name: 'read', arguments: text } }),
    )
    expect(callsOf(readStream(chatWire, stream.join('') + DONE))).toMatchObject([{ arguments: '{"n":1}' }])
  })

  it('takes missing arguments for an empty object', () => {
    const stream = fragment({ index: 0, id: 'a', function: { name: 'plan' } }) + DONE
    expect(callsOf(readStream(chatWire, stream))).toMatchObject([{ arguments: '{}' }])
  })

  it('keeps unknown fields of a call for the next request', () => {
    const extra = { extra_content: { google: { thought_signature: 'c2ln' } } }
    const stream = fragment({ index: 0, id: 'a', function: { name: 'plan', arguments: '{}' }, ...extra }) + DONE
    expect(completedOf(readStream(chatWire, stream)).parts).toMatchObject([{ tool_calls: [extra] }])
  })

  it('sends arguments that are not JSON back in a form that a chat template can parse', () => {
    const stream = fragment({ index: 0, id: 'a', function: { name: 'plan', arguments: '{oops' } }) + DONE
    const events = readStream(chatWire, stream)
    expect(callsOf(events)).toMatchObject([{ arguments: '{oops' }])
    expect(completedOf(events).parts).toMatchObject([
      { tool_calls: [{ function: { arguments: '{"unreadable":"{oops"}' } }] },
    ])
  })

  it('leaves out the call that the length limit cut in two', () => {
    const stream =
      fragment({ index: 0, id: 'a', function: { name: 'plan', arguments: '{"st' } }) + chatChunk({}, 'length')
    const events = readStream(chatWire, stream)
    expect(callsOf(events)).toEqual([])
    expect(completedOf(events)).toMatchObject({ stop: 'length', parts: [] })
  })

  it.each([
    ['stop', 'stop'],
    ['tool_calls', 'stop'],
    ['length', 'length'],
    ['content_filter', 'filter'],
    ['eos', 'stop'],
  ])('maps the finish reason %s to %s', (reason, stop) => {
    expect(completedOf(readStream(chatWire, chatChunk({ content: 'Hi' }, reason)))).toMatchObject({ stop })
  })

  it('reads a whole message in one chunk, and text and reasoning under their other names', () => {
    const message = { role: 'assistant', content: [{ type: 'text', text: 'Hi' }], reasoning: 'Hm' }
    const stream = `data: ${JSON.stringify({ choices: [{ message, finish_reason: 'stop' }] })}\n\n`
    const events = readStream(chatWire, stream)
    expect(events.map(({ type }) => type)).toEqual([
      'reasoningDelta',
      'reasoningDone',
      'textDelta',
      'textDone',
      'completed',
    ])
    expect(completedOf(events).parts).toEqual([{ role: 'assistant', content: 'Hi' }])
  })

  it('reports an error object inside the stream', () => {
    const failure = failureOf(readPieces(chatWire, [fixture('chat-error')]))
    expect(failure).toMatchObject({ code: 'providerError', retry: 'short', status: 502 })
  })

  it('takes an end without a finish reason for a cut, even after whole calls', () => {
    const stream = fragment({ index: 0, id: 'a', function: { name: 'plan', arguments: '{}' } })
    expect(failureOf(readStream(chatWire, stream)).code).toBe('streamCut')
  })

  it('takes [DONE] after nothing at all for a cut', () => {
    expect(failureOf(readStream(chatWire, DONE)).code).toBe('streamCut')
  })
})
