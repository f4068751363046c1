import { describe, expect, it } from 'vitest'
import { refusedEntries } from '../../src/failures/refused-entries.ts'
import type { ModelEntry } from '../../src/port/model-client.ts'
import { anthropicWire } from '../../src/wires/anthropic/wire.ts'
import { chatWire } from '../../src/wires/chat/wire.ts'
import { geminiWire } from '../../src/wires/gemini/wire.ts'
import { responsesWire } from '../../src/wires/responses/wire.ts'
import { requestOf, response, user } from '../support/requests.ts'

const image = { type: 'image', mediaType: 'image/png', base64: 'AAAA' } as const
const calls = ['call_one11', 'call_two22'].map((callId) => ({ callId, name: 'shell', arguments: '{}' }))
const result = (callId: string): ModelEntry => ({ kind: 'result', callId, text: `of ${callId}`, isError: false })

/** Context, question, an answer with two calls, their results, a note, an answer, and a question with a picture. */
const entries: readonly ModelEntry[] = [
  user('context'),
  user('question'),
  response({ text: 'I look.', calls }),
  result('call_one11'),
  { ...result('call_two22'), images: [image] } as ModelEntry,
  user('note'),
  response({ text: 'So it is.' }),
  { kind: 'user', content: [{ type: 'text', text: 'and this?' }, image] },
]

const wires = { anthropic: anthropicWire, chat: chatWire, gemini: geminiWire, responses: responsesWire }

function named(wire: keyof typeof wires, message: string, body = '') {
  const write = wires[wire].createWriter('own:1')
  return refusedEntries(message, body, {
    entries,
    write: (some) => Buffer.concat(write(requestOf(some))).toString(),
  })
}

describe('the words of a refusal', () => {
  it.each([
    ['anthropic', 'messages.1.content.1.tool_use.name: String should match pattern', [2]],
    ['anthropic', 'messages.2.content.0: unexpected `tool_result`', [3]],
    ['anthropic', 'messages.2.content.2.text: not acceptable', [5]],
    ['anthropic', 'messages.4.content.1.image.source.base64: Could not process image', [7]],
    ['anthropic', '`tool_use` ids were found without `tool_result` blocks immediately after: call_two22', [2]],
    ['chat', "Invalid 'messages[2].tool_calls[1].function.name': string does not match pattern", [2]],
    ['chat', 'Invalid value in messages[3].content', [3]],
    ['chat', "Invalid type for 'messages.[7].content[1].image_url'", [7]],
    ['responses', "Invalid 'input[3].name': string does not match pattern", [2]],
    ['responses', 'No tool call found for function call output with call_id call_one11.', [2]],
    ['responses', "Invalid 'input[6].output'", [4]],
    ['gemini', '* GenerateContentRequest.contents[3].parts: contents.parts must not be empty.', [3, 4]],
    ['gemini', "Invalid value at 'contents[3].parts[1]'", [4]],
  ] as const)('on %s name an entry: %s', (wire, message, found) => {
    const all = named(wire, message)
    expect(all).toEqual(expect.arrayContaining([...found]))
    // Parts of one message that are not told apart are named together.
    expect(all?.length).toBeLessThanOrEqual(3)
  })

  it.each([
    ['param of OpenAI', { error: { message: 'Not acceptable.', param: 'messages[3].content' } }],
    ['loc of FastAPI', { detail: [{ loc: ['body', 'messages', 3, 'content'], msg: 'Not acceptable.' }] }],
  ])('may stand in %s', (_, body) => {
    expect(named('chat', 'Not acceptable.', JSON.stringify(body))).toEqual([3])
  })

  it.each([
    ['chat', 'Something in it is not acceptable.'],
    ['anthropic', 'The request body is not valid JSON: no low surrogate in string: line 1 column 4312 (char 4311)'],
    ['anthropic', 'messages: roles must alternate'],
  ] as const)('on %s name none: %s', (wire, message) => {
    expect(named(wire, message)).toEqual([])
  })

  it.each([
    ['chat', "Unsupported parameter: 'max_tokens' is not supported with this model."],
    ['chat', "Invalid schema for function 'x': tools[3].function.parameters"],
    ['anthropic', 'tools.0.custom.input_schema.type: Field required'],
    ['anthropic', 'temperature: Input should be less than or equal to 1'],
    ['chat', 'Invalid value in messages[0].content'],
    ['chat', 'Invalid value in messages[99].content'],
  ] as const)('on %s are about something else: %s', (wire, message) => {
    expect(named(wire, message)).toBeNull()
  })

  it('are understood in a long conversation without writing it for each entry', () => {
    const long = Array.from({ length: 2_000 }, (_, index) =>
      index % 2 === 0 ? user(`q${index}`) : response({ text: `a${index}` }),
    )
    const write = chatWire.createWriter('own:1')
    let written = 0
    const found = refusedEntries('Invalid value in messages[1501].content', '', {
      entries: long,
      write(some) {
        written++
        return Buffer.concat(write(requestOf(some))).toString()
      },
    })
    expect(found).toEqual([1500])
    expect(written).toBeLessThan(20)
  })

  it('counts only for the first of many places, each of which takes requests to find', () => {
    let written = 0
    const write = anthropicWire.createWriter('own:1')
    const many = Array.from({ length: 400 }, (_, index) =>
      index % 2 === 0 ? user(`q${index}`) : response({ text: 'a' }),
    )
    const words = many.map((_, index) => `messages.${index}`).join(' ')
    const found = refusedEntries('', JSON.stringify({ error: { param: `${words} ${words}` } }), {
      entries: many,
      write(some) {
        written += 1
        return Buffer.concat(write(requestOf(some))).toString()
      },
    })
    expect(found).toEqual(Array.from({ length: 20 }, (_, index) => index))
    expect(written).toBeLessThan(20 * 20)
  })

  it('counts for nothing where its steps are nested', () => {
    const deep = `${'['.repeat(30_000)}${']'.repeat(30_000)}`
    expect(named('chat', 'no', `{"detail":[{"loc":["body",${deep}]}]}`)).toEqual([])
  })
})
