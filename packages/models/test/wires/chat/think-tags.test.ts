import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chatWire } from '../../../src/wires/chat/wire.ts'
import { chatChunk, readStream } from '../../support/read-body.ts'
import { requestOf } from '../../support/requests.ts'

/** Text and reasoning of an answer whose content comes in these pieces, and what goes back of it. */
function read(...pieces: readonly string[]) {
  return readFrom('m1', pieces)
}

function readFrom(model: string, pieces: readonly string[], end = chatChunk({}, 'stop')) {
  const stream = pieces.map((content) => chatChunk({ content })).join('') + end
  const events = readStream(chatWire, stream, requestOf([], { model }))
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
    ends: events.flatMap((event) =>
      event.type === 'textDone' || event.type === 'reasoningDone' ? [[event.type, event.text]] : [],
    ),
  }
}

/** Reads content cut in two at each place, and letter by letter. */
function allCuts(content: string): readonly (readonly string[])[] {
  const cuts = Array.from({ length: Math.max(0, content.length - 1) }, (_, at) => at + 1)
  return [[content], [...content], ...cuts.map((at) => [content.slice(0, at), content.slice(at)])]
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

describe('a closing tag whose opening one stood in the prompt', () => {
  it.each([
    ['Hm.\n</think>\n\nHi', 'Hm.\n', 'Hi'],
    ['Hm.\n</think>\r\nHi', 'Hm.\n', 'Hi'],
    ['\n</think>\n\nHi', '\n', 'Hi'],
    ['Hm.\n</think>', 'Hm.\n', ''],
    ['```\na\n```\nHm.\n</think>\nHi', '```\na\n```\nHm.\n', 'Hi'],
  ])('ends the reasoning of %j, which came as text', (content, reasoning, text) => {
    for (const pieces of allCuts(content)) {
      const { ends, parts } = read(...pieces)
      expect(ends).toEqual([['reasoningDone', reasoning], ...(text === '' ? [] : [['textDone', text]])])
      expect(parts).toEqual(text === '' ? [] : [{ role: 'assistant', content: text }])
    }
  })

  it.each([
    'Close it with </think>\nand go on.',
    'It is\n</think> in XML.',
    '```xml\n<think>\n</think>\n```\nThat is it.',
    'One\n</thin',
    'A line\n\n<think>\nwithin.',
  ])('is text in %j', (content) => {
    for (const pieces of allCuts(content)) expect(read(...pieces).ends).toEqual([['textDone', content]])
  })

  it('is text where the server sends its reasoning apart', () => {
    const stream = chatChunk({ reasoning_content: 'Hm.' }) + chatChunk({ content: 'a\n</think>\nb' })
    const events = readStream(chatWire, stream + chatChunk({}, 'stop'))
    expect(events).toContainEqual({ type: 'textDone', part: 'text-1', text: 'a\n</think>\nb' })
  })

  it('may be followed by a call', () => {
    const call = { index: 0, id: 'a', function: { name: 'list', arguments: '{}' } }
    const stream = chatChunk({ content: 'Hm.\n</think>' }) + chatChunk({ tool_calls: [call] })
    const events = readStream(chatWire, stream + chatChunk({}, 'tool_calls'))
    expect(events.map(({ type }) => type)).toEqual(['textDelta', 'reasoningDone', 'callDelta', 'call', 'completed'])
  })
})

describe('a model whose template is known to open the reasoning', () => {
  const model = 'deepseek-ai/DeepSeek-R1-Distill-Qwen-7B'

  it('thinks from the first word on, wherever the closing tag stands', () => {
    const { reasoning, text, ends } = readFrom(model, ['Hm', '. </thi', 'nk> Hi'])
    expect({ reasoning, text }).toEqual({ reasoning: 'Hm. ', text: 'Hi' })
    expect(ends).toEqual([
      ['reasoningDone', 'Hm. '],
      ['textDone', 'Hi'],
    ])
  })

  it('has written text where no closing tag comes, unless the output limit cut it off', () => {
    expect(readFrom(model, ['He', 'llo'])).toMatchObject({
      ends: [['textDone', 'Hello']],
      parts: [{ role: 'assistant', content: 'Hello' }],
    })
    expect(readFrom(model, ['Hm'], chatChunk({}, 'length'))).toMatchObject({
      ends: [['reasoningDone', 'Hm']],
      parts: [],
    })
  })

  it('is read as others are where it writes the opening tag, or its server sends the reasoning apart', () => {
    expect(readFrom(model, ['<think>Hm</think>Hi']).ends).toEqual([
      ['reasoningDone', 'Hm'],
      ['textDone', 'Hi'],
    ])
    const stream = chatChunk({ reasoning: 'Hm' }) + chatChunk({ content: 'Hi' }) + chatChunk({}, 'stop')
    const events = readStream(chatWire, stream, requestOf([], { model }))
    expect(events).toContainEqual({ type: 'textDelta', part: 'text-1', text: 'Hi' })
  })
})
