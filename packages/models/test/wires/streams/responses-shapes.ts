/** Shapes in which the Responses API streams, by what is told apart: events, without what frames them. */
type Shapes = Readonly<Record<string, readonly object[]>>

const usage = {
  ...{ input_tokens: 20, input_tokens_details: { cached_tokens: 4 } },
  ...{ output_tokens: 9, output_tokens_details: { reasoning_tokens: 5 }, total_tokens: 29 },
}
const response = (status: string, more: object = {}) => ({
  ...{ id: 'resp_1', object: 'response', created_at: 1, model: 'm', status, error: null, incomplete_details: null },
  ...{ output: [], usage: status === 'in_progress' ? null : usage, service_tier: 'default' },
  ...more,
})
const begin = [
  { type: 'response.created', response: response('in_progress') },
  { type: 'response.in_progress', response: response('in_progress') },
]
const end = (more: object = {}) => ({ type: 'response.completed', response: response('completed', more) })
const added = (output_index: number, item: object) => ({ type: 'response.output_item.added', output_index, item })
const done = (output_index: number, item: object) => ({ type: 'response.output_item.done', output_index, item })
const whole = (index: number, item: object, ...between: readonly object[]) => [
  added(index, { ...item, status: 'in_progress' }),
  ...between,
  done(index, { ...item, status: 'completed' }),
]

const texts = (index: number, pieces: readonly string[], more: object = {}) => {
  const at = { item_id: `msg_${index}`, output_index: index, content_index: 0 }
  const text = pieces.join('')
  const part = { type: 'output_text', text, annotations: [], logprobs: [] }
  const item = { id: `msg_${index}`, type: 'message', role: 'assistant', ...more }
  return [
    added(index, { ...item, status: 'in_progress', content: [] }),
    { type: 'response.content_part.added', ...at, part: { ...part, text: '' } },
    ...pieces.map((delta) => ({ type: 'response.output_text.delta', ...at, delta, logprobs: [], obfuscation: 'x' })),
    { type: 'response.output_text.done', ...at, text, logprobs: [] },
    { type: 'response.content_part.done', ...at, part },
    done(index, { ...item, status: 'completed', content: [part] }),
  ]
}
const summary = (index: number, thoughts: readonly string[], more: object = {}) => {
  const item = { id: `rs_${index}`, type: 'reasoning', ...more }
  const parts = thoughts.map((text) => ({ type: 'summary_text', text }))
  return [
    added(index, { ...item, summary: [] }),
    ...thoughts.flatMap((text, summary_index) => {
      const at = { item_id: item.id, output_index: index, summary_index }
      return [
        { type: 'response.reasoning_summary_part.added', ...at, part: { type: 'summary_text', text: '' } },
        { type: 'response.reasoning_summary_text.delta', ...at, delta: text },
        { type: 'response.reasoning_summary_text.done', ...at, text },
        { type: 'response.reasoning_summary_part.done', ...at, part: { type: 'summary_text', text } },
      ]
    }),
    done(index, { ...item, summary: parts }),
  ]
}
const call = (index: number, pieces: readonly string[], more: object = {}) => {
  const item = { id: `fc_${index}`, type: 'function_call', call_id: `call_${index}`, name: 'look', ...more }
  const at = { item_id: item.id, output_index: index }
  const written = pieces.join('')
  return [
    added(index, { ...item, status: 'in_progress', arguments: '' }),
    ...pieces.map((delta) => ({ type: 'response.function_call_arguments.delta', ...at, delta })),
    { type: 'response.function_call_arguments.done', ...at, arguments: written },
    done(index, { ...item, status: 'completed', arguments: written }),
  ]
}
const hosted = (index: number, kind: string, steps: readonly string[], more: object) => {
  const item = { id: `${kind}_${index}`, type: `${kind}_call`, ...more }
  const step = (name: string) => ({ type: `response.${kind}_call.${name}`, item_id: item.id, output_index: index })
  return whole(index, item, ...steps.map(step))
}
const image = { result: 'aVZCT1J3MEtHZ28=', output_format: 'png', size: '1024x1024', quality: 'low' }

export const responsesShapes: Shapes = {
  'text in pieces': [...begin, ...texts(0, ['Hel', 'lo']), end()],
  'messages with their phase': [
    ...begin,
    ...texts(0, ['Looking.'], { phase: 'commentary' }),
    ...texts(1, ['Found.'], { phase: 'final_answer' }),
    end(),
  ],
  'a summary in two parts, then text': [...begin, ...summary(0, ['First.', 'Then.']), ...texts(1, ['Hello']), end()],
  'reasoning that is encrypted': [
    ...begin,
    ...summary(0, ['Hm.'], { encrypted_content: 'ZW5j' }),
    ...call(1, ['{"path":"a"}']),
    end(),
  ],
  'reasoning without a summary': [
    ...begin,
    ...summary(0, [], { encrypted_content: 'ZW5j' }),
    ...texts(1, ['Hi']),
    end(),
  ],
  'a call in pieces': [...begin, ...call(0, ['{"path', '":"a"}']), end()],
  'a call without arguments': [...begin, ...call(0, ['{}']), end()],
  'two calls behind text': [
    ...begin,
    ...texts(0, ['Both.']),
    ...call(1, ['{"path":"a"}']),
    ...call(2, ['{"path":"b"}']),
    end(),
  ],
  'a call from a namespace, by a program': [
    ...begin,
    ...call(0, ['{"path":"a"}'], { namespace: 'files', caller: { type: 'direct' } }),
    end(),
  ],
  'a search of the web': [
    ...begin,
    ...hosted(0, 'web_search', ['in_progress', 'searching', 'completed'], {
      action: { type: 'search', query: 'x', queries: ['x'] },
    }),
    ...texts(1, ['Found.']),
    end(),
  ],
  'a search of files': [
    ...begin,
    ...hosted(0, 'file_search', ['in_progress', 'searching', 'completed'], { queries: ['x'], results: null }),
    ...texts(1, ['Found.']),
    end(),
  ],
  'code that the provider ran': [
    ...begin,
    ...hosted(0, 'code_interpreter', ['in_progress', 'interpreting', 'completed'], {
      ...{ code: '1', container_id: 'cntr_1', outputs: [{ type: 'logs', logs: '1' }] },
    }),
    ...texts(1, ['One.']),
    end(),
  ],
  'a call of a tool server by the provider': [
    ...begin,
    ...whole(0, { id: 'mcpl_0', type: 'mcp_list_tools', server_label: 's', tools: [] }),
    ...whole(1, {
      ...{ id: 'mcp_1', type: 'mcp_call', server_label: 's', name: 'echo', arguments: '{}' },
      ...{ output: 'x', error: null, approval_request_id: null },
    }),
    ...texts(2, ['Echoed.']),
    end(),
  ],
  'a picture': [
    ...begin,
    ...hosted(0, 'image_generation', ['in_progress', 'generating', 'completed'], image),
    ...texts(1, ['Drawn.']),
    end(),
  ],
  'a compaction of the provider': [
    ...begin,
    ...whole(0, { id: 'cmp_0', type: 'compaction', encrypted_content: 'ZW5j' }),
    ...texts(1, ['On.']),
    end(),
  ],
  'events and items that are not known yet': [
    ...begin,
    { type: 'response.tomorrow', output_index: 0, more: [1] },
    ...texts(0, ['Hello']),
    end(),
  ],
  'an end at the limit of output': [
    ...begin,
    ...texts(0, ['Hal']),
    {
      type: 'response.incomplete',
      response: response('incomplete', { incomplete_details: { reason: 'max_output_tokens' } }),
    },
  ],
  'an end by a filter': [
    ...begin,
    ...texts(0, ['Hal']),
    {
      type: 'response.incomplete',
      response: response('incomplete', { incomplete_details: { reason: 'content_filter' } }),
    },
  ],
}

/** Shapes that the AI SDK reads otherwise, with the answer that is meant here. */
export const responsesDifferences: Shapes = {
  'a call of a tool of the provider that no request names': [
    ...begin,
    ...whole(0, {
      ...{ id: 'lsh_0', type: 'local_shell_call', call_id: 'call_0' },
      action: { type: 'exec', command: ['ls'], env: {} },
    }),
    ...texts(1, ['Listed.']),
    end(),
  ],
  'a freeform call, whose text stands for one field': [
    ...begin,
    ...whole(0, { id: 'ctc_0', type: 'custom_tool_call', call_id: 'call_0', name: 'sql', input: 'SELECT 1' }),
    end(),
  ],
}
