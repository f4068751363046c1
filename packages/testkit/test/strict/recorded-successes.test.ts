import { expect, it } from 'vitest'
import { refusalOf, type Wire } from '../../src/index.ts'

/**
 * Requests that the APIs answered, written after recordings of the AI SDK (`__fixtures__` of its packages): the content
 * of an answer is sent back with its results. A rule that refuses one of them is wrong.
 */
const successes: readonly (readonly [Wire, string, object])[] = [
  [
    'anthropic',
    'a call with its caller',
    history({
      type: 'tool_use',
      id: 'toolu_017tkQJeJzrNWUPk9F1W',
      name: 'lookup',
      input: { id: '123' },
      caller: { type: 'direct' },
    }),
  ],
  [
    'anthropic',
    'a call of code that the provider runs',
    history({
      type: 'tool_use',
      id: 'toolu_01MzSrFWsmzBdcoQkGWLyRjK',
      name: 'query-database',
      input: {},
      caller: { type: 'code_execution_20250825', tool_id: 'srvtoolu_01' },
    }),
  ],
  [
    'anthropic',
    'thinking before a call',
    history(
      { type: 'thinking', thinking: '', signature: 'Er' },
      { type: 'tool_use', id: 'toolu_2', name: 'calculator', input: {} },
    ),
  ],
  [
    'anthropic',
    'redacted thinking before text',
    history({ type: 'redacted_thinking', data: 'Eu' }, { type: 'text', text: 'Done.' }),
  ],
  ['anthropic', 'thinking alone in an earlier turn', history({ type: 'thinking', thinking: 'Hm', signature: 'Er' })],
  [
    'anthropic',
    'searches that the provider ran',
    history(
      {
        type: 'server_tool_use',
        id: 'srvtoolu_011cNtbtzFARKPcAcp7w4nh9',
        name: 'web_search',
        input: { query: 'news' },
      },
      {
        type: 'web_search_tool_result',
        tool_use_id: 'srvtoolu_011cNtbtzFARKPcAcp7w4nh9',
        content: [{ type: 'web_search_result', title: 'T', url: 'https://a.test', encrypted_content: 'E' }],
      },
      { type: 'text', text: 'Found.', citations: [] },
    ),
  ],
  [
    'anthropic',
    'a tool of another server',
    history(
      { type: 'mcp_tool_use', id: 'mcptoolu_01HXPYHs79HH36fBbKHysCrp', name: 'echo', server_name: 'echo', input: {} },
      {
        type: 'mcp_tool_result',
        tool_use_id: 'mcptoolu_01HXPYHs79HH36fBbKHysCrp',
        is_error: false,
        content: [{ type: 'text', text: 'ok' }],
      },
      { type: 'text', text: 'Ok.' },
    ),
  ],
  [
    'anthropic',
    'a tool without a schema of ours',
    {
      messages: [{ role: 'user', content: 'hi' }],
      tools: [
        { type: 'web_search_20250305', name: 'web_search' },
        { type: 'memory_20250818', name: 'memory' },
      ],
    },
  ],
  ...chatIds().map((id): [Wire, string, object] => [
    'chat',
    `a call with the id ${id.slice(0, 20)}`,
    {
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'text', text: 'hi' }] },
        {
          role: 'assistant',
          content: null,
          reasoning_content: 'Hm',
          tool_calls: [
            { id, type: 'function', function: { name: 'weather', arguments: '{"location":"San Francisco"}' } },
          ],
        },
        { role: 'tool', tool_call_id: id, content: '' },
        { role: 'assistant', content: '' },
        { role: 'user', content: 'on' },
      ],
      tools: [
        {
          type: 'function',
          function: {
            name: 'weather',
            parameters: {
              $schema: 'http://json-schema.org/draft-07/schema#',
              type: 'object',
              properties: {},
              additionalProperties: false,
            },
          },
        },
      ],
    },
  ]),
  [
    'responses',
    'reasoning before a call, and before a message',
    {
      input: [
        { role: 'user', content: [{ type: 'input_text', text: '12 + 7?' }] },
        {
          type: 'reasoning',
          id: 'rs_0f35ed53160b395301693cc95817ac8190b978637daea4987e',
          encrypted_content: 'gAAAA',
          summary: [],
        },
        {
          type: 'function_call',
          id: 'fc_0f35',
          call_id: 'call_BNtIuxCGjgIPgGeNCRGP0xxL',
          name: 'calculator',
          arguments: '{"a":12,"b":7,"op":"add"}',
        },
        { type: 'function_call_output', call_id: 'call_BNtIuxCGjgIPgGeNCRGP0xxL', output: '19' },
        {
          type: 'reasoning',
          id: 'rs_2',
          encrypted_content: 'gAAAA',
          summary: [{ type: 'summary_text', text: '**Reporting**' }],
        },
        { type: 'reasoning', id: 'rs_3', encrypted_content: 'gAAAA', summary: [] },
        { role: 'assistant', id: 'msg_1', content: [{ type: 'output_text', text: '19' }] },
      ],
    },
  ],
  ...[
    'web_search_call',
    'code_interpreter_call',
    'image_generation_call',
    'file_search_call',
    'mcp_call',
    'mcp_list_tools',
    'mcp_approval_request',
    'compaction',
    'tool_search_call',
  ].map((type): [Wire, string, object] => [
    'responses',
    `reasoning before an item of the provider: ${type}`,
    {
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'go' }] },
        { type: 'reasoning', id: 'rs_1', summary: [] },
        { type, id: 'x_1' },
      ],
    },
  ]),
  ...['local_shell', 'apply_patch', 'shell', 'custom_tool'].map((kind): [Wire, string, object] => [
    'responses',
    `the call of a tool of the provider: ${kind}`,
    {
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'go' }] },
        { type: `${kind}_call`, id: 'x_1', call_id: 'call_XWgeTylovOiS8xLNz2TONOgO' },
        { type: `${kind}_call_output`, call_id: 'call_XWgeTylovOiS8xLNz2TONOgO', output: 'ok' },
      ],
    },
  ]),
  [
    'responses',
    'schemas with definitions at their root',
    {
      input: [{ role: 'user', content: 'hi' }],
      tools: [
        {
          type: 'function',
          name: 'f',
          strict: true,
          parameters: {
            type: 'object',
            definitions: { a: { type: 'string' } },
            properties: { a: { $ref: '#/definitions/a' }, b: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
            required: ['a', 'b'],
            additionalProperties: false,
          },
        },
        { type: 'web_search' },
      ],
    },
  ],
  [
    'gemini',
    'parallel calls of which the first is signed',
    {
      contents: [
        { role: 'user', parts: [{ text: 'hi' }] },
        {
          role: 'model',
          parts: [
            { text: 'Hm', thought: true },
            { functionCall: { name: 'default_api:weather', args: {} }, thoughtSignature: 'C' },
            { functionCall: { name: 'weather', args: {} } },
          ],
        },
        {
          role: 'user',
          parts: [
            { functionResponse: { name: 'default_api:weather', response: { output: '' } } },
            { functionResponse: { name: 'weather', response: { output: '' } } },
          ],
        },
        { role: 'model', parts: [{ text: 'Done.' }, { text: '', thoughtSignature: 'C' }] },
        { role: 'user', parts: [{ text: 'on' }] },
      ],
      tools: [
        { functionDeclarations: [{ name: 'weather', parameters: { type: 'object', properties: {} } }] },
        { googleSearch: {} },
      ],
    },
  ],
]

/** Returns a request that sends an answer back, with the results of its calls and another message. */
function history(...content: readonly Readonly<Record<string, unknown>>[]): object {
  const results = content.flatMap(({ type, id }) =>
    type === 'tool_use' ? [{ type: 'tool_result', tool_use_id: id, content: [{ type: 'text', text: '72 °F' }] }] : [],
  )
  return {
    messages: [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content },
      { role: 'user', content: [...results, { type: 'text', text: 'on' }] },
    ],
  }
}

/** Returns ids in the forms that compatible servers give them, one of them with a signature inside. */
function chatIds(): readonly string[] {
  return [
    'call_O17Uplv4lJvD6DVdIvFFeMwS',
    'functions.weather:0',
    'gSIMJiOkT',
    '0',
    `call_1__thought__${'Q'.repeat(900)}`,
    'chatcmpl-tool-1',
    'call_00_Q3',
  ]
}

it.each(successes)('on %s the rules take %s, as the API did', (wire, _what, body) => {
  const path = '/v1beta/models/gemini-3-pro-preview:streamGenerateContent'
  expect(refusalOf({ wire, text: JSON.stringify(body), body, path })).toBeNull()
})
