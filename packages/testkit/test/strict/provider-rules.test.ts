import { describe, expect, it } from 'vitest'
import { providerRules, refusalOf, smallPng, startModelServer, type Wire } from '../../src/index.ts'

const half = '\ud83d'
const refused = (wire: Wire, body: object, model = 'm') =>
  refusalOf({ wire, text: JSON.stringify(body), body, path: `/v1/models/${model}:streamGenerateContent` })

const user = { role: 'user', content: 'hi' }
const assistant = (...content: object[]) => ({ role: 'assistant', content })
const call = { type: 'tool_use', id: 'toolu_1', name: 'shell', input: {} }
const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'ok' }] }
const messagesTool = (more: object = {}, schema: object = { type: 'object' }) => ({
  name: 'shell',
  input_schema: schema,
  ...more,
})
const chatCall = (name = 'shell') => ({
  role: 'assistant',
  tool_calls: [{ id: 'call_1', type: 'function', function: { name, arguments: '{}' } }],
})
const chatResult = { role: 'tool', tool_call_id: 'call_1', content: 'ok' }
const chatTool = (parameters: object, name = 'shell') => ({ type: 'function', function: { name, parameters } })
const fnCall = { type: 'function_call', call_id: 'call_1', name: 'shell', arguments: '{}' }
const fnResult = { type: 'function_call_output', call_id: 'call_1', output: 'ok' }
const thought = { id: 'rs_1', type: 'reasoning', summary: [] }
const image = (data: string) => ({ type: 'image', source: { type: 'base64', media_type: 'image/png', data } })
const said = { role: 'user', parts: [{ text: 'hi' }] }
const asked = (part: object = {}) => ({
  role: 'model',
  parts: [{ functionCall: { name: 'shell', args: {} }, ...part }],
})
const told = { role: 'user', parts: [{ functionResponse: { name: 'shell', response: {} } }] }
const many = (make: (index: number) => object) => Array.from({ length: 129 }, (_, index) => make(index))

/** Requests that each break one rule, in the order of the rules. */
const broken: Readonly<Record<Wire, readonly object[]>> = {
  anthropic: [
    { messages: [{ role: 'user', content: half }] },
    { messages: [user], tools: [messagesTool({ name: 'functions.shell' })] },
    { messages: [user], tools: [messagesTool(), messagesTool()] },
    { messages: [user], tools: [messagesTool({}, { type: 'object', anyOf: [] })] },
    { messages: [user], tools: [messagesTool({}, { type: 'object', properties: { 'filter[id]': {} } })] },
    { messages: [user, assistant({ ...call, id: 'functions.shell:0' }), result] },
    { messages: [user, assistant(call, { ...call, id: 'toolu_2' }), user] },
    { messages: [result] },
    { messages: [{ role: 'user', content: '' }] },
    { messages: [user, assistant({ type: 'text', text: '\n' })] },
    { messages: [{ role: 'user', content: [image(smallPng.subarray(0, 40).toString('base64'))] }] },
    { messages: [user, assistant({ type: 'thinking', thinking: 'Hm', signature: 's' })] },
  ],
  chat: [
    { messages: [{ role: 'user', content: half }] },
    { messages: [user], tools: [chatTool({ type: 'object' }, 'functions.shell')] },
    { messages: [user], tools: many((index) => chatTool({ type: 'object' }, `t${index}`)) },
    { messages: [user], tools: [chatTool({})] },
    { messages: [user], tools: [chatTool({ type: 'object', anyOf: [] })] },
    { messages: [user], tools: [chatTool({ type: 'object', required: null })] },
    { messages: [user, chatCall(), user] },
    { messages: [user, chatResult] },
  ],
  responses: [
    { input: [{ role: 'user', content: half }] },
    { input: [user], tools: many((index) => ({ name: `t${index}`, parameters: { type: 'object' } })) },
    { input: [user], tools: [{ name: 'shell', parameters: {} }] },
    { input: [user], tools: [{ name: 'shell', parameters: { type: 'object', anyOf: [] } }] },
    { input: [user], tools: [{ name: 'shell', parameters: { type: 'object', required: null } }] },
    { input: [user, { ...fnCall, call_id: 'x'.repeat(65) }, { ...fnResult, call_id: 'x'.repeat(65) }] },
    { input: [user, thought, user] },
    { input: [user, fnResult] },
    { input: [user, fnCall] },
  ],
  gemini: [
    { contents: [said], tools: [{ functionDeclarations: [{ name: '9 go' }] }] },
    { contents: [said, { role: 'model', parts: [] }] },
    { contents: [said, asked(), said] },
    { contents: [asked(), told] },
    { contents: [said, asked(), told] },
  ],
}

/** Requests that hold all that the rules look at, as the APIs take them. */
const fine: Readonly<Record<Wire, object>> = {
  anthropic: {
    tools: [messagesTool({}, { type: 'object', properties: { a: {} }, required: ['a'] })],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Hi 👋 \\ud83d' }, image(smallPng.toString('base64'))] },
      assistant({ type: 'thinking', thinking: 'Hm', signature: 's' }, call),
      result,
    ],
  },
  chat: {
    messages: [user, chatCall(), chatResult, { role: 'assistant', content: '👋' }, user],
    tools: [chatTool({ type: 'object' })],
  },
  responses: { input: [user, thought, fnCall, fnResult], tools: [{ type: 'custom', name: 'apply_patch' }] },
  gemini: {
    contents: [said, asked({ thoughtSignature: 's' }), told],
    tools: [{ functionDeclarations: [{ name: 'a.b' }] }],
  },
}

/** Leaves out of a refusal what differs from request to request. */
const pattern = (refusal: string) =>
  refusal
    .replace(/(?:toolu|call|rs)_\w+(?:, (?:toolu|call)_\w+)*/g, 'ID')
    .replace(/'[\w-]+': (?=schema|None)/g, 'NAME: ')
    .replace(/messages\.N|\d+/g, (found) => (found === 'messages.N' ? 'messages.#' : '#'))

describe.each(Object.entries(providerRules))('the rules of %s', (name, rules) => {
  const wire = name as Wire // narrowed: the keys of the record are wires

  it('each refuse a request that breaks them, in the words of the source', () => {
    const refusals = rules.map(({ refuse }, index) => {
      const body = broken[wire][index] ?? {}
      return refuse({
        text: JSON.stringify(body),
        body: body as Readonly<Record<string, unknown>>,
        model: 'gemini-3-pro',
      })
    })
    expect(refusals.map((refusal) => pattern(refusal ?? 'taken'))).toEqual(rules.map(({ refusal }) => pattern(refusal)))
    expect(broken[wire]).toHaveLength(rules.length)
  })

  it('let pass what the API takes', () => {
    expect(refused(wire, fine[wire], 'gemini-3-pro')).toBeNull()
  })

  it('name their sources, with their dates', () => {
    for (const { source, date } of rules) {
      expect(source).toMatch(/^https:\/\/\S+$/)
      expect(date).toMatch(/^20\d\d-\d\d-\d\d$/)
    }
  })
})

describe('the scripted model server', () => {
  const ask = async (url: string, path: string, body: object) => {
    const response = await fetch(`${url}/${path}`, { method: 'POST', body: JSON.stringify(body) })
    return { status: response.status, text: await response.text() }
  }

  it.each([
    ['responses', 'responses', { error: { message: 'x', type: 'invalid_request_error' } }],
    ['chat', 'chat/completions', { error: { message: 'x', type: 'invalid_request_error' } }],
    ['anthropic', 'messages', { type: 'error', error: { type: 'invalid_request_error' } }],
    ['gemini', 'models/gemini-3-pro:streamGenerateContent', { error: { code: 400, status: 'INVALID_ARGUMENT' } }],
  ] as const)('refuses what the API of %s does, in its form, and keeps the step', async (wire, path, form) => {
    await using server = await startModelServer([{ text: 'hi' }])
    const refusal = await ask(server.url, path, broken[wire].at(-1) ?? {})
    expect(refusal.status).toBe(400)
    expect(JSON.parse(refusal.text)).toMatchObject({ ...form, error: { ...form.error, message: expect.any(String) } })
    expect(server.pending()).toBe(1)
    expect((await ask(server.url, path, fine[wire])).status).toBe(200)
  })

  it('answers all where a test says that it is lenient', async () => {
    await using server = await startModelServer([{ text: 'hi' }], { isLenient: true })
    expect((await ask(server.url, 'messages', { messages: [result] })).status).toBe(200)
  })
})
