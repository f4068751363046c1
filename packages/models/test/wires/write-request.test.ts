import { codePoint } from '@parley/testkit/code-point'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ModelEntry } from '../../src/port/model-client.ts'
import { anthropicWire } from '../../src/wires/anthropic/wire.ts'
import { createChatWriter } from '../../src/wires/chat/wire.ts'
import { geminiWire } from '../../src/wires/gemini/wire.ts'
import { createResponsesWriter } from '../../src/wires/responses/wire.ts'
import { requestOf, response, result, SHELL, textWriter, user } from '../support/requests.ts'

const call = { callId: 'c1', name: 'shell', arguments: '{"command":"ls"}' }
const item = { type: 'function_call', call_id: 'c1', name: 'shell', arguments: '{"command":"ls"}' }
const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'opaque' }

const anyText = fc.string({ unit: codePoint })
const anyJson = fc.jsonValue().map((value) => ({ value }))
const anyCall = fc.record({ callId: anyText, name: anyText, arguments: anyText })
const anyEntry: fc.Arbitrary<ModelEntry> = fc.oneof(
  anyText.map(user),
  fc.record({ text: anyText, base64: fc.base64String() }).map(shownBeside),
  fc.record({ callId: anyText, text: anyText }).map(({ callId, text }) => result(callId, text)),
  fc
    .record({
      adapter: fc.constantFrom('own', 'other'),
      parts: fc.array(anyJson, { maxLength: 3 }),
      text: anyText,
      calls: fc.array(anyCall, { maxLength: 2 }),
    })
    .map(response),
)

function shownBeside({ text, base64 }: { text: string; base64: string }): ModelEntry {
  return {
    kind: 'user',
    content: [
      { type: 'text', text },
      { type: 'image', mediaType: 'image/png', base64 },
    ],
  }
}

/** Serialised to the log and read back, as a resumed conversation has it. */
function copied(entries: readonly ModelEntry[]): ModelEntry[] {
  return JSON.parse(JSON.stringify(entries))
}

describe.each([
  ['responses', createResponsesWriter],
  ['chat', createChatWriter],
  ['gemini', geminiWire.createWriter],
  ['anthropic', anthropicWire.createWriter],
])('the %s request', (name, createWriter) => {
  it('of any entries is JSON, and the same bytes when sent again or rebuilt from the log', () => {
    const write = textWriter(createWriter('own'))
    fc.assert(
      fc.property(fc.array(anyEntry, { maxLength: 6 }), (entries) => {
        const text = write(requestOf(entries))
        expect(() => JSON.parse(text)).not.toThrow()
        expect(write(requestOf(entries))).toBe(text)
        expect(textWriter(createWriter('own'))(requestOf(copied(entries)))).toBe(text)
      }),
    )
  })

  it('of a longer conversation begins with the bytes of the shorter one, but for marks of the cache', () => {
    const write = textWriter(createWriter('own'))
    const mark = ',"cache_control":{"type":"ephemeral"}'
    const written = (entries: readonly ModelEntry[]) => write(requestOf(entries)).replaceAll(mark, '')
    // An answer comes between two requests; without one, Chat joins what the user says to one message.
    const answered =
      name === 'chat' ? [response({ adapter: 'own', parts: [{ role: 'assistant', content: 'Hi' }] })] : []
    fc.assert(
      fc.property(fc.array(anyEntry, { maxLength: 4 }), fc.array(anyEntry, { maxLength: 3 }), (entries, more) => {
        const shorter = written(entries).replace(/[\]}]+$/, '')
        expect(written([...entries, ...answered, ...more]).slice(0, shorter.length)).toBe(shorter)
      }),
    )
  })

  it('serialises each entry once in its life', () => {
    const write = textWriter(createWriter('own'))
    let reads = 0
    const counted = new Proxy(response({ adapter: 'own', parts: [reasoning] }), {
      get: (target, key) => {
        if (key === 'parts') reads += 1
        return Reflect.get(target, key)
      },
    })
    const talk = [user('hi'), counted]
    write(requestOf(talk))
    const readsOnce = reads
    for (let round = 0; round < 5; round += 1) write(requestOf([...talk]))
    expect(readsOnce).toBeGreaterThan(0)
    expect(reads).toBe(readsOnce)
  })

  it('without tools mentions none', () => {
    const body = JSON.parse(textWriter(createWriter('own'))(requestOf([user('hi')], { tools: [] })))
    expect(Object.keys(body).filter((key) => key.includes('tool'))).toEqual([])
  })
})

describe.each([
  ['responses', createResponsesWriter],
  ['chat', createChatWriter],
])('the %s request of OpenAI', (_name, createWriter) => {
  it('holds an image in its place, and the answer to a schema', () => {
    const schema = { type: 'object' }
    const text = textWriter(createWriter('own'))(
      requestOf([shownBeside({ text: 'see', base64: 'QUJD' })], { outputSchema: schema }),
    )
    expect(text).toMatch(/"text":"see"}.*"data:image\/png;base64,QUJD"/)
    expect(text).toContain(`"schema":${JSON.stringify(schema)},"strict":true`)
    expect(textWriter(createWriter('own'))(requestOf())).not.toContain('json_schema')
  })
})

describe('the Responses request', () => {
  const write = textWriter(createResponsesWriter('own'))

  it('is stateless and holds the conversation as input items', () => {
    const entries = [user('hi'), response({ adapter: 'own', parts: [reasoning, item] }), result('c1', 'a.txt')]
    expect(JSON.parse(write(requestOf(entries)))).toEqual({
      model: 'm1',
      instructions: 'Be brief.',
      stream: true,
      store: false,
      prompt_cache_key: 'conversation-1',
      tools: [{ type: 'function', ...SHELL, strict: false }],
      tool_choice: 'auto',
      parallel_tool_calls: true,
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
        reasoning,
        item,
        { type: 'function_call_output', call_id: 'c1', output: 'a.txt' },
      ],
    })
  })

  it('renders the response of another adapter from its neutral form', () => {
    const entries = [response({ adapter: 'chat/1:x', parts: [{ role: 'assistant' }], text: 'Hi', calls: [call] })]
    expect(JSON.parse(write(requestOf(entries))).input).toEqual([
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] },
      item,
    ])
  })

  it('has no reasoning for a model that rejects it, nor items that cannot stand without it', () => {
    const message = { type: 'message', role: 'assistant', id: 'msg_1', content: [{ type: 'output_text', text: 'Hi' }] }
    const reasoned = response({ adapter: 'own', parts: [reasoning, message, item], text: 'Hi', calls: [call] })
    const spoken = response({ adapter: 'own', parts: [message], text: 'Hi' })
    const entries = [reasoned, result('c1'), spoken]
    const inputOf = (model: string) => JSON.parse(write(requestOf(entries, { model }))).input
    expect(inputOf('gpt-5').slice(0, 3)).toEqual([reasoning, message, item])
    const { id: _id, ...plain } = message
    expect(inputOf('gpt-4.1')).toEqual([
      plain,
      item,
      { type: 'function_call_output', call_id: 'c1', output: 'done' },
      message,
    ])
  })

  it.each([
    ['gpt-5', undefined, { summary: 'auto' }],
    ['o3', undefined, { summary: 'auto' }],
    ['openai/gpt-5.1-codex', undefined, { summary: 'auto' }],
    ['local-model', 'high', { effort: 'high', summary: 'auto' }],
    ['gpt-4.1', undefined, undefined],
    ['gpt-5-chat-latest', undefined, undefined],
  ])('for %s with effort %s asks for reasoning %j', (model, effort, expected) => {
    const body = JSON.parse(write(requestOf([user('hi')], { model, ...(effort === undefined ? {} : { effort }) })))
    expect(body.reasoning).toEqual(expected)
    expect(body.include).toEqual(expected && ['reasoning.encrypted_content'])
  })
})

describe('the Chat Completions request', () => {
  const write = textWriter(createChatWriter('own'))

  it('holds instructions, tools and the conversation as messages', () => {
    const own = { role: 'assistant', content: 'Hi', kept: true }
    const entries = [user('hi'), response({ adapter: 'own', parts: [own] }), result('c1', 'a.txt')]
    expect(JSON.parse(write(requestOf(entries, { effort: 'low' })))).toEqual({
      model: 'm1',
      stream: true,
      stream_options: { include_usage: true },
      reasoning_effort: 'low',
      tools: [{ type: 'function', function: SHELL }],
      tool_choice: 'auto',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'hi' },
        own,
        { role: 'tool', tool_call_id: 'c1', content: 'a.txt' },
      ],
    })
  })

  it('joins what the user says without an answer between to one message, also with an image', () => {
    const messagesOf = (entries: readonly ModelEntry[]) => JSON.parse(write(requestOf(entries))).messages.slice(1)
    expect(messagesOf([user('It is "Monday".'), user('go')])).toEqual([
      { role: 'user', content: 'It is "Monday".\n\ngo' },
    ])
    expect(messagesOf([user('Monday'), shownBeside({ text: 'see', base64: 'QUJD' })])).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Monday' },
          { type: 'text', text: 'see' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,QUJD' } },
        ],
      },
    ])
  })

  it('has a word of the model between a result and the next message, for models of Mistral', () => {
    const interrupted = [
      user('go'),
      response({ adapter: 'other', calls: [call] }),
      result('c1'),
      user('wait'),
      user('no'),
    ]
    const rolesFor = (model: string) =>
      JSON.parse(write(requestOf(interrupted, { model }))).messages.map(({ role }: { role: string }) => role)
    expect(rolesFor('devstral-medium-latest')).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'user'])
    expect(rolesFor('qwen3')).toEqual(['system', 'user', 'assistant', 'tool', 'user'])
  })

  it('gives calls of another wire ids and names that all servers take, and keeps its own', () => {
    const foreign = { callId: 'fc_68a|1', name: 'made up!', arguments: '{}' }
    const own = { role: 'assistant', tool_calls: [{ id: 'c1', function: { name: 'made up!' } }] }
    const entries = [
      response({ adapter: 'other', calls: [foreign] }),
      result('fc_68a|1', 'one'),
      response({ adapter: 'own', parts: [own], calls: [call] }),
      result('c1', 'two'),
    ]
    const [, called, first, again, second] = JSON.parse(write(requestOf(entries))).messages
    expect(called.tool_calls[0]).toMatchObject({
      id: expect.stringMatching(/^[a-z0-9]{9}$/),
      function: { name: 'made_up_' },
    })
    expect(first.tool_call_id).toBe(called.tool_calls[0].id)
    expect(again).toEqual(own)
    expect(second.tool_call_id).toBe('c1')
  })

  it('renders the response of another adapter from its neutral form', () => {
    const entries = [response({ adapter: 'responses/1:x', parts: [reasoning, item], calls: [call] })]
    expect(JSON.parse(write(requestOf(entries))).messages[1]).toEqual({
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: expect.any(String), type: 'function', function: { name: 'shell', arguments: '{"command":"ls"}' } },
      ],
    })
  })
})
