import { describe, expect, it } from 'vitest'
import { chatWire } from '../../../src/wires/chat/wire.ts'
import { readStream } from '../../support/read-body.ts'
import { callsOf, textOf } from '../../support/requests.ts'

const eventOf = (choice: object) => `data: ${JSON.stringify({ choices: [choice] })}\n\n`
const delta = (of: object) => eventOf({ index: 0, delta: of, finish_reason: null })
const calls = (...fragments: object[]) => delta({ tool_calls: fragments })
const end = `${eventOf({ index: 0, delta: {}, finish_reason: 'tool_calls' })}data: [DONE]\n\n`
const written = '{"command":"ls -l"}'
const [first, second] = [written.slice(0, 9), written.slice(9)]
const fn = (name: string | undefined, args: string) => ({ ...(name === undefined ? {} : { name }), arguments: args })
const one = { index: 0, id: 'a', function: fn('shell', written) }
const message = { role: 'assistant', content: 'Hi', tool_calls: [{ id: 'a', function: fn('shell', written) }] }

/** Shapes in which servers of this API stream one call, each of which means the same. */
const shapes: Readonly<Record<string, readonly string[]>> = {
  'an index in quotes': [
    calls({ index: '0', id: 'a', function: fn('shell', first) }),
    calls({ index: '0', function: fn(undefined, second) }),
  ],
  'a number for an id': [calls({ ...one, id: 7 })],
  'a name in pieces': [
    calls({ index: 0, id: 'a', function: fn('sh', '') }),
    calls({ index: 0, function: fn('ell', written) }),
  ],
  'a name that grows': [
    calls({ index: 0, id: 'a', function: fn('sh', '') }),
    calls({ index: 0, function: fn('shell', written) }),
  ],
  'a name with each fragment': [
    calls({ ...one, function: fn('shell', first) }),
    calls({ ...one, function: fn('shell', second) }),
  ],
  'empty arguments before the real ones': [
    calls({ ...one, function: fn('shell', '{}') }),
    calls({ index: 0, function: fn(undefined, first) }),
    calls({ index: 0, function: fn(undefined, second) }),
  ],
  'its whole arguments once more': [calls(one), calls({ index: 0, function: fn(undefined, written) })],
  'a message with all of it at the end': [
    calls({ ...one, function: fn('shell', first) }),
    calls({ index: 0, function: fn(undefined, second) }),
    eventOf({ index: 0, message: { ...message, content: null }, finish_reason: 'tool_calls' }),
  ],
  'the form before there were several': [
    delta({ function_call: fn('shell', first) }),
    delta({ function_call: fn(undefined, second) }),
  ],
  'another choice beside it': [
    `data: ${JSON.stringify({
      choices: [
        { index: 1, delta: { content: 'No' } },
        { index: 0, delta: { tool_calls: [one] } },
      ],
    })}\n\n`,
  ],
}

describe('a call of a Chat Completions server', () => {
  it.each(Object.entries(shapes))('with %s is that one call', (_shape, events) => {
    const read = readStream(chatWire, events.join('') + end)
    expect(callsOf(read)).toMatchObject([{ name: 'shell', arguments: written }])
    expect(textOf(read)).toBe('')
    expect(read.at(-1)).toMatchObject({ type: 'completed', stop: 'stop' })
  })

  it.each(['[{"index":"x"}]', '[{"id":true}]', '[7]'])('that is none of these, as %s, is malformed', (fragments) => {
    const text = `data: {"choices":[{"delta":{"tool_calls":${fragments}}}]}\n\n`
    expect(readStream(chatWire, text).at(-1)).toMatchObject({ failure: { code: 'malformedStream' } })
  })
})

describe('a message at the end of a stream', () => {
  const whole = eventOf({ index: 0, message: { ...message, reasoning_content: 'Hm' }, finish_reason: 'stop' })

  it.each([
    ['nothing', '', 'Hi', 1, 1],
    ['the text', delta({ content: 'Hi' }), 'Hi', 1, 1],
    ['the call', calls(one), 'Hi', 1, 1],
    ['the reasoning', delta({ reasoning_content: 'Hm' }), 'Hi', 1, 1],
  ])('adds what no delta has said, after %s', (_what, before, text, callCount, thoughts) => {
    const read = readStream(chatWire, `${before}${whole}data: [DONE]\n\n`)
    expect(textOf(read)).toBe(text)
    expect(callsOf(read)).toHaveLength(callCount)
    expect(read.filter(({ type }) => type === 'reasoningDone')).toHaveLength(thoughts)
  })
})

describe('messages in place of deltas', () => {
  it('are pieces of one answer', () => {
    const pieces = ['Hel', 'l', 'o'].map((content) => eventOf({ index: 0, message: { content } }))
    expect(textOf(readStream(chatWire, `${pieces.join('')}data: [DONE]\n\n`))).toBe('Hello')
  })
})
