/** Shapes in which the Messages API streams, by what is told apart: events, without what frames them. */
type Shapes = Readonly<Record<string, readonly object[]>>

const usage = { input_tokens: 20, cache_creation_input_tokens: 3, cache_read_input_tokens: 4, output_tokens: 1 }
const start = (message: object = {}) => ({
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    stop_reason: null,
    usage,
    ...message,
  },
})
const end = (reason: string | null = 'end_turn', more: object = {}, counts: object = { output_tokens: 9 }) => [
  { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null, ...more }, usage: counts },
  { type: 'message_stop' },
]
const block = (index: number, content: object, ...deltas: readonly object[]) => [
  { type: 'content_block_start', index, content_block: content },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
]
const text = (index: number, ...pieces: readonly string[]) =>
  block(index, { type: 'text', text: '' }, ...pieces.map((piece) => ({ type: 'text_delta', text: piece })))
const json = (...pieces: readonly string[]) =>
  pieces.map((piece) => ({ type: 'input_json_delta', partial_json: piece }))
const call = (index: number, id: string, ...pieces: readonly string[]) =>
  block(index, { type: 'tool_use', id, name: 'look', input: {} }, ...json(...pieces))
const thought = (index: number) =>
  block(
    index,
    { type: 'thinking', thinking: '', signature: '' },
    { type: 'thinking_delta', thinking: 'Let me ' },
    { type: 'thinking_delta', thinking: 'see.' },
    { type: 'signature_delta', signature: 'c2ln' },
  )
const hosted = (index: number, name: string, result: string, content: unknown) => [
  ...block(index, { type: 'server_tool_use', id: `srvtoolu_${index}`, name, input: {} }, ...json('{"query', '":"x"}')),
  ...block(index + 1, { type: result, tool_use_id: `srvtoolu_${index}`, content }),
]
const iteration = (type: string, input_tokens: number, output_tokens: number) => ({
  ...{ type, input_tokens, output_tokens, model: 'm' },
  ...{ cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
})
const citation = {
  type: 'citations_delta',
  citation: {
    type: 'web_search_result_location',
    cited_text: 'x',
    url: 'https://a.example',
    title: 'A',
    encrypted_index: 'e',
  },
}
const found = [
  { type: 'web_search_result', url: 'https://a.example', title: 'A', encrypted_content: 'e', page_age: null },
]

export const anthropicShapes: Shapes = {
  'text in pieces, with pings': [start(), { type: 'ping' }, ...text(0, 'Hel', 'lo'), { type: 'ping' }, ...end()],
  'several texts': [start(), ...text(0, 'One.'), ...text(1, 'Two.'), ...end()],
  'a thought with its signature, then text': [start(), ...thought(0), ...text(1, 'Hello'), ...end()],
  'a signature without a thought': [
    start(),
    ...block(0, { type: 'thinking', thinking: '', signature: '' }, { type: 'signature_delta', signature: 'c2ln' }),
    ...text(1, 'Hello'),
    ...end(),
  ],
  'a thought that is hidden': [
    start(),
    ...block(0, { type: 'redacted_thinking', data: 'AAAA' }),
    ...text(1, 'Hi'),
    ...end(),
  ],
  'a call in pieces': [start(), ...call(0, 'toolu_1', '', '{"path', '":"a', '"}'), ...end('tool_use')],
  'a call without arguments': [start(), ...call(0, 'toolu_1'), ...end('tool_use')],
  'a call with empty arguments': [start(), ...call(0, 'toolu_1', ''), ...end('tool_use')],
  'two calls behind text': [
    start(),
    ...text(0, 'Both.'),
    ...call(1, 'toolu_1', '{"path":"a"}'),
    ...call(2, 'toolu_2', '{"path":"b"}'),
    ...end('tool_use'),
  ],
  'a call by code of the provider, whole in the start of a message': [
    start({
      content: [
        {
          type: 'tool_use',
          id: 'toolu_1',
          name: 'look',
          input: { path: 'a' },
          caller: { type: 'code_execution_20250825', tool_id: 'srvtoolu_1' },
        },
      ],
      stop_reason: 'tool_use',
      usage: { input_tokens: 0, output_tokens: 0 },
      container: { id: 'container_1', expires_at: '2026-01-01T00:00:00Z' },
    }),
    { type: 'message_stop' },
  ],
  'a search of the provider, with cited text': [
    start(),
    ...hosted(0, 'web_search', 'web_search_tool_result', found),
    ...text(2, 'By '),
    ...block(3, { type: 'text', text: '', citations: [] }, citation, { type: 'text_delta', text: 'A it is so' }),
    ...text(4, '.'),
    ...end('end_turn', {}, { ...usage, output_tokens: 30, server_tool_use: { web_search_requests: 1 } }),
  ],
  'a search of the provider that failed': [
    start(),
    ...hosted(0, 'web_search', 'web_search_tool_result', {
      type: 'web_search_tool_result_error',
      error_code: 'unavailable',
    }),
    ...text(2, 'No.'),
    ...end(),
  ],
  'a page that the provider fetched': [
    start(),
    ...hosted(0, 'web_fetch', 'web_fetch_tool_result', {
      type: 'web_fetch_result',
      url: 'https://a.example',
      retrieved_at: null,
      content: {
        type: 'document',
        title: null,
        citations: null,
        source: { type: 'text', media_type: 'text/plain', data: 'x' },
      },
    }),
    ...text(2, 'Read.'),
    ...end(),
  ],
  'code that the provider ran': [
    start(),
    ...hosted(0, 'bash_code_execution', 'bash_code_execution_tool_result', {
      ...{ type: 'bash_code_execution_result', stdout: '1', stderr: '', return_code: 0, content: [] },
    }),
    ...hosted(2, 'text_editor_code_execution', 'text_editor_code_execution_tool_result', {
      ...{ type: 'text_editor_code_execution_create_result', is_file_update: false },
    }),
    ...text(4, 'Ran.'),
    ...end(),
  ],
  'tools that the provider looked up': [
    start(),
    ...hosted(0, 'tool_search_tool_bm25', 'tool_search_tool_result', {
      ...{ type: 'tool_search_tool_search_result', tool_references: [{ type: 'tool_reference', tool_name: 'look' }] },
    }),
    ...call(2, 'toolu_1', '{"path":"a"}'),
    ...end('tool_use'),
  ],
  'a call of a tool server by the provider': [
    start(),
    ...block(0, { type: 'mcp_tool_use', id: 'mcptoolu_1', name: 'echo', server_name: 's', input: {} }, ...json('{}')),
    ...block(1, {
      type: 'mcp_tool_result',
      tool_use_id: 'mcptoolu_1',
      is_error: false,
      content: [{ type: 'text', text: 'x' }],
    }),
    ...text(2, 'Echoed.'),
    ...end(),
  ],
  'advice of another model, whose tokens are not those of the message': [
    start(),
    ...hosted(0, 'advisor', 'advisor_tool_result', { type: 'advisor_result', text: 'Do it.' }),
    ...text(2, 'Done.'),
    ...end(
      'end_turn',
      {},
      {
        ...usage,
        output_tokens: 12,
        iterations: [iteration('message', 9, 5), iteration('advisor_message', 50, 60), iteration('message', 11, 7)],
      },
    ),
  ],
  'another model that took over': [
    start(),
    ...block(0, { type: 'fallback', from: { model: 'a' }, to: { model: 'b' } }),
    ...text(1, 'Hello'),
    ...end(
      'end_turn',
      {},
      { ...usage, output_tokens: 9, iterations: [iteration('message', 5, 0), iteration('fallback_message', 20, 9)] },
    ),
  ],
  'edits of the context': [
    start(),
    ...text(0, 'Hi'),
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { ...usage, output_tokens: 9 },
      context_management: {
        applied_edits: [{ type: 'clear_tool_uses_20250919', cleared_tool_uses: 2, cleared_input_tokens: 100 }],
      },
    },
    { type: 'message_stop' },
  ],
  'all counts once more at the end': [
    start({ usage: { input_tokens: 0, output_tokens: 0 } }),
    ...text(0, 'Hi'),
    ...end('end_turn', {}, { ...usage, output_tokens: 9 }),
  ],
  'tokens of thoughts': [
    start(),
    ...thought(0),
    ...text(1, 'Hi'),
    ...end('end_turn', {}, { output_tokens: 9, output_tokens_details: { thinking_tokens: 5 } }),
  ],
  'the start of the message twice': [start(), start(), ...text(0, 'Hi'), ...end()],
  'an end at the limit of output': [start(), ...text(0, 'Hal'), ...end('max_tokens')],
  'an end at a stop sequence': [start(), ...text(0, 'Hal'), ...end('stop_sequence', { stop_sequence: 'x' })],
  'a refusal with words': [
    start(),
    ...end('refusal', {
      stop_details: { type: 'refusal', category: 'cyber', explanation: 'No.', recommended_model: 'm2' },
    }),
  ],
  'a refusal without words': [start(), ...text(0, 'Hal'), ...end('refusal')],
}

/** Shapes that the AI SDK reads otherwise. */
export const anthropicDifferences: Shapes = {
  'text in the start of its block': [start(), ...block(0, { type: 'text', text: 'Hello' }), ...end()],
  'a summary of the provider, which is no part of the answer': [
    start(),
    ...block(0, { type: 'compaction', content: null }, { type: 'compaction_delta', content: 'All so far.' }),
    ...text(1, 'On.'),
    ...end(
      'end_turn',
      {},
      { ...usage, output_tokens: 9, iterations: [iteration('compaction', 400, 50), iteration('message', 20, 9)] },
    ),
  ],
}
