/** Shapes in which servers of the Chat Completions API stream, by what is told apart: chunks, without what frames them. */
type Shapes = Readonly<Record<string, readonly object[]>>

const frame = { id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm' }
const chunk = (delta: object, reason: string | null = null, more: object = {}) => ({
  ...frame,
  choices: [{ index: 0, delta, finish_reason: reason, ...more }],
})
const counts = { prompt_tokens: 20, completion_tokens: 9, total_tokens: 29 }
const details = {
  ...{ prompt_tokens_details: { cached_tokens: 4 }, completion_tokens_details: { reasoning_tokens: 5 } },
}
const last = (usage: object = counts) => ({ ...frame, choices: [], usage })
const hello = [chunk({ role: 'assistant', content: '' }), chunk({ content: 'Hel' }), chunk({ content: 'lo' })]
const end = [chunk({}, 'stop'), last()]
const fragment = (index: number, args: string, more: object = {}) => ({
  tool_calls: [{ index, function: { arguments: args }, ...more }],
})
const begin = (index: number, id: string, args = '') => ({
  tool_calls: [{ index, id, type: 'function', function: { name: 'look', arguments: args } }],
})

export const chatShapes: Shapes = {
  'text in pieces, counts in a chunk of their own': [...hello, ...end],
  'counts with the end': [...hello, { ...chunk({}, 'stop'), usage: counts }],
  'counts in each chunk': [
    { ...chunk({ role: 'assistant', content: 'Hi' }), usage: { ...counts, completion_tokens: 1, total_tokens: 21 } },
    { ...chunk({}, 'stop'), usage: counts },
  ],
  'counts that are null until the end': [{ ...chunk({ content: 'Hi' }), usage: null }, ...end],
  'counts with details': [...hello, chunk({}, 'stop'), last({ ...counts, ...details })],
  'null in place of what is not there': [
    chunk({ role: 'assistant', content: null, reasoning_content: null, tool_calls: null }),
    chunk({ role: null, content: 'Hi' }),
    ...end,
  ],
  'reasoning beside the content': [
    chunk({ role: 'assistant', reasoning_content: 'Let me ' }),
    chunk({ reasoning_content: 'see.' }),
    chunk({ content: 'Hi' }),
    ...end,
  ],
  'reasoning under its other name': [chunk({ role: 'assistant', reasoning: 'Hm.' }), chunk({ content: 'Hi' }), ...end],
  'reasoning that is empty': [chunk({ content: '', reasoning_content: '' }), chunk({ content: 'Hi' }), ...end],
  'a call in pieces': [
    chunk({ role: 'assistant', content: null, ...begin(0, 'call_1') }),
    chunk(fragment(0, '{"path')),
    chunk(fragment(0, '":"a"}')),
    chunk({}, 'tool_calls'),
    last(),
  ],
  'a call whole': [chunk(begin(0, 'call_1', '{"path":"a"}')), chunk({}, 'tool_calls'), last()],
  'a call whole with the end': [chunk(begin(0, 'call_1', '{"path":"a"}'), 'tool_calls'), last()],
  'a call without arguments': [chunk(begin(0, 'call_1', '{}')), chunk({}, 'tool_calls'), last()],
  'a call behind reasoning and text': [
    chunk({ reasoning_content: 'Hm.' }),
    chunk({ content: 'Looking.' }),
    chunk(begin(0, 'call_1', '{"path":"a"}')),
    chunk({}, 'tool_calls'),
    last(),
  ],
  'two calls, one after the other': [
    chunk(begin(0, 'call_1')),
    chunk(fragment(0, '{"path":"a"}')),
    chunk(begin(1, 'call_2')),
    chunk(fragment(1, '{"path":"b"}')),
    chunk({}, 'tool_calls'),
    last(),
  ],
  'a call with its id and name in each piece': [
    chunk(begin(0, 'call_1', '{"path')),
    chunk(begin(0, 'call_1', '":"a"}')),
    chunk({}, 'tool_calls'),
    last(),
  ],
  'facts of servers beside it': [
    {
      ...chunk({ role: 'assistant', content: 'Hi' }, null, { logprobs: null, matched_stop: null }),
      obfuscation: 'x',
      service_tier: 'default',
      x_groq: { id: 'req' },
    },
    {
      ...chunk({}, 'stop', { content_filter_results: {} }),
      citations: ['https://a.example'],
      system_fingerprint: 'fp',
    },
    last({ ...counts, queue_time: 0.1, cost_in_usd_ticks: 7 }),
  ],
  'facts of the prompt first': [
    { ...frame, choices: [], prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }] },
    ...hello,
    ...end,
  ],
  'an end at the limit of output': [...hello, chunk({}, 'length'), last()],
  'an end by a filter': [...hello, chunk({}, 'content_filter'), last()],
  'two ends': [...hello, chunk({}, 'stop'), chunk({}, 'stop'), last()],
}

/** Shapes that the AI SDK's common reader does not know, with the answer that servers mean. */
export const chatDifferences: Shapes = {
  'reasoning counted beside the completion, as the total tells': [
    ...hello,
    chunk({}, 'stop'),
    last({ prompt_tokens: 20, completion_tokens: 9, total_tokens: 34, ...details }),
  ],
  'content in a list, thoughts among it': [
    chunk({ role: 'assistant', content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }] }),
    chunk({ content: [{ type: 'text', text: 'Hello' }] }),
    ...end,
  ],
}
