import { describe, expect, it } from 'vitest'
import type { HttpWire } from '../../src/port/wire.ts'
import { anthropicWire } from '../../src/wires/anthropic/wire.ts'
import { chatWire } from '../../src/wires/chat/wire.ts'
import { geminiWire } from '../../src/wires/gemini/wire.ts'
import { responsesWire } from '../../src/wires/responses/wire.ts'
import { readStream } from '../support/read-body.ts'

const stream = (...events: readonly object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
const refused = (details: object | null) =>
  stream(
    { type: 'message_start', message: { usage: {} } },
    { type: 'message_delta', delta: { stop_reason: 'refusal', stop_details: details } },
    { type: 'message_stop' },
  )
const filtered = (choice: object, more: object = {}) =>
  stream({ ...more, choices: [{ index: 0, delta: {}, finish_reason: 'content_filter', ...choice }] })
const incomplete = (more: object) =>
  stream({
    type: 'response.incomplete',
    response: { status: 'incomplete', incomplete_details: { reason: 'content_filter' }, output: [], ...more },
  })

/** Ways in which providers say that they stopped an answer, and the words that are told of it. */
const refusals: readonly (readonly [string, HttpWire, string, string | undefined])[] = [
  [
    'category, explanation and model',
    anthropicWire,
    refused({ type: 'refusal', category: 'cyber', explanation: 'This was blocked.', recommended_model: 'm2' }),
    'Category: cyber. This was blocked. Model to use: m2.',
  ],
  ['an explanation alone', anthropicWire, refused({ explanation: 'No' }), 'No.'],
  ['nothing', anthropicWire, refused(null), undefined],
  ['values of other types', anthropicWire, refused({ category: 7, explanation: null }), undefined],
  [
    'a whole message',
    anthropicWire,
    JSON.stringify({ type: 'message', content: [], stop_reason: 'refusal', stop_details: { category: 'bio' } }),
    'Category: bio.',
  ],
  [
    'filters of the answer',
    chatWire,
    filtered({ content_filter_results: { hate: { filtered: true, severity: 'high' }, violence: { filtered: false } } }),
    'hate.',
  ],
  [
    'filters of the prompt',
    chatWire,
    filtered({}, { prompt_filter_results: [{ content_filter_results: { jailbreak: { filtered: true } } }] }),
    'jailbreak.',
  ],
  ["the provider's own word", chatWire, filtered({ native_finish_reason: 'PROHIBITED' }), 'PROHIBITED.'],
  ['nothing at all', chatWire, filtered({}), undefined],
  [
    'a blocked prompt with a message',
    geminiWire,
    stream({ promptFeedback: { blockReason: 'BLOCKLIST', blockReasonMessage: 'A word of it is blocked.' } }),
    'The prompt was blocked: BLOCKLIST. A word of it is blocked.',
  ],
  [
    'ratings of a prompt',
    geminiWire,
    stream({
      promptFeedback: {
        blockReason: 'SAFETY',
        safetyRatings: [
          { category: 'HARM_A', probability: 'HIGH' },
          { category: 'HARM_B', probability: 'LOW' },
        ],
      },
    }),
    'The prompt was blocked: SAFETY. HARM_A.',
  ],
  [
    'a reason with its message and ratings',
    geminiWire,
    stream({
      candidates: [
        {
          finishReason: 'SAFETY',
          finishMessage: 'Stopped.',
          safetyRatings: [{ category: 'HARM_A', blocked: true, probability: 'MEDIUM' }],
        },
      ],
    }),
    'SAFETY. HARM_A. Stopped.',
  ],
  ['a reason alone', geminiWire, stream({ candidates: [{ finishReason: 'RECITATION' }] }), 'RECITATION.'],
  [
    'filters of a response',
    responsesWire,
    incomplete({ content_filters: [{ blocked: true, content_filter_results: { sexual: { filtered: true } } }] }),
    'sexual.',
  ],
  ['only its reason', responsesWire, incomplete({}), undefined],
]

describe('a provider that stops an answer', () => {
  it.each(refusals)('and says %s', (_what, wire, bytes, why) => {
    const last = readStream(wire, bytes).at(-1)
    expect(last).toMatchObject({ type: 'completed', stop: 'filter' })
    expect(last?.type === 'completed' ? last.why : null).toBe(why)
  })

  it('is quoted in at most 1,000 characters', () => {
    const last = readStream(anthropicWire, refused({ explanation: 'x'.repeat(5_000) })).at(-1)
    expect(last?.type === 'completed' ? last.why?.length : 0).toBe(1_000)
  })
})

describe('a model of the Responses API that has not ended its turn', () => {
  const response = (more: object, output: readonly object[]) =>
    stream({ type: 'response.completed', response: { status: 'completed', output, usage: {}, ...more } })
  const message = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'On it.' }] }

  it.each([
    [{ end_turn: false }, [message], 'paused'],
    [{ end_turn: true }, [message], 'stop'],
    [{ end_turn: null }, [message], 'stop'],
    [{}, [message], 'stop'],
    // A model that did nothing would be asked the same again.
    [{ end_turn: false }, [], 'stop'],
    [
      { end_turn: false, status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
      [message],
      'length',
    ],
  ])('as %j with %j ends with %s', (more, output, stop) => {
    expect(readStream(responsesWire, response(more, output)).at(-1)).toMatchObject({ type: 'completed', stop })
  })
})
