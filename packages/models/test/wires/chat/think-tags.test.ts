import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chatWire } from '../../../src/wires/chat/wire.ts'
import { chatChunk, readStream } from '../../support/read-body.ts'

/** Text and reasoning of an answer whose content comes in these pieces, and what goes back of it. */
function read(...pieces: readonly string[]) {
  const events = readStream(chatWire, pieces.map((content) => chatChunk({ content })).join('') + chatChunk({}, 'stop'))
  const whole = (type: 'textDelta' | 'reasoningDelta') =>
    events.flatMap((event) => (event.type === type ? [event.text] : [])).join('')
  const done = events.flatMap((event) =>
    event.type === 'textDone' || event.type === 'reasoningDone' ? [event.text] : [],
  )
  const last = events.at(-1)
  return {
    text: whole('textDelta'),
    reasoning: whole('reasoningDelta'),
    done,
    parts: last?.type === 'completed' && last.parts,
  }
}

describe('content of a server that leaves <think> in it', () => {
  it.each([
    ['<think>Hm.</think>Hi', 'Hm.', 'Hi'],
    ['\n<think>\nHm.\n</think>\n\nHi', '\nHm.\n', 'Hi'],
    ['<think></think>\n\nHi', '', 'Hi'],
    ['<think></think>\n', '', ''],
    ['<think>a</think><think>b</think>Hi', 'ab', 'Hi'],
    ['<think>if a < b </thin', 'if a < b </thin', ''],
    ['Write <think> yourself.', '', 'Write <think> yourself.'],
    ['<thinking>no tag of ours', '', '<thinking>no tag of ours'],
    ['<thi', '', '<thi'],
    [' \n', '', ' \n'],
  ])('%j is read', (content, reasoning, text) => {
    expect(read(content)).toMatchObject({ reasoning, text })
    for (let at = 1; at < content.length; at += 1)
      expect(read(content.slice(0, at), content.slice(at))).toMatchObject({ reasoning, text })
    expect(read(...content)).toMatchObject({ reasoning, text })
  })

  it('is read the same wherever it is cut', () => {
    const anyContent = fc
      .array(fc.constantFrom('<think>', '</think>', '<', '/think>', 'Hm', '\n', ' é'), { maxLength: 8 })
      .map((words) => words.join(''))
    fc.assert(
      fc.property(anyContent, fc.array(fc.nat(40), { maxLength: 20 }), (content, cuts) => {
        const edges = [0, ...cuts.filter((cut) => cut < content.length).toSorted((a, b) => a - b), content.length]
        const pieces = edges.slice(1).map((edge, index) => content.slice(edges[index], edge))
        expect(read(...pieces)).toEqual(read(content))
      }),
    )
  })

  it('goes back without the reasoning', () => {
    expect(read('<think>Hm.</think>\n\nHi').parts).toEqual([{ role: 'assistant', content: 'Hi' }])
  })

  it('keeps a call after the reasoning', () => {
    const call = { index: 0, id: 'a', function: { name: 'list', arguments: '{}' } }
    const stream = chatChunk({ content: '<think>Hm' }) + chatChunk({ content: '</think>\n' })
    const events = readStream(chatWire, stream + chatChunk({ tool_calls: [call] }) + chatChunk({}, 'tool_calls'))
    expect(events.map(({ type }) => type)).toEqual([
      'reasoningDelta',
      'reasoningDone',
      'callDelta',
      'call',
      'completed',
    ])
    expect(events[0]).toMatchObject({ raw: true })
  })
})
