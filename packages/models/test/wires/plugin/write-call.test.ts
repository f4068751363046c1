import { describe, expect, it } from 'vitest'
import type { ModelEntry } from '../../../src/port/model-client.ts'
import { writeCall } from '../../../src/wires/plugin/write-call.ts'
import { requestOf, user } from '../../support/requests.ts'

const own = 'plugin/1:mine'
const calls = [
  { callId: 'a', name: 'shell', arguments: '{"command":"ls"}' },
  { callId: 'b', name: 'read file!', arguments: 'not json' },
]
const foreign: ModelEntry = {
  kind: 'response',
  adapter: 'anthropic/1:anthropic',
  parts: [{ type: 'thinking', thinking: 'Hm.', signature: 'sig' }],
  text: 'Looking.',
  calls,
}
const png = { type: 'image', mediaType: 'image/png', base64: 'AAAA' } as const
const results: readonly ModelEntry[] = [
  { kind: 'result', callId: 'a', text: 'a.txt', isError: false },
  { kind: 'result', callId: 'b', text: 'No such tool.', isError: true, images: [png] },
]

describe('a request in the words of the AI SDK', () => {
  it('has text, calls and results of another wire, without its reasoning', () => {
    const { prompt } = writeCall(requestOf([user('hello'), foreign, ...results]), own)
    expect(prompt).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'hello' }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Looking.' },
          { type: 'tool-call', toolCallId: 'a', toolName: 'shell', input: { command: 'ls' } },
          { type: 'tool-call', toolCallId: 'b', toolName: 'read_file_', input: { unreadable: 'not json' } },
        ],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'a', toolName: 'shell', output: { type: 'text', value: 'a.txt' } },
          {
            type: 'tool-result',
            toolCallId: 'b',
            toolName: 'read_file_',
            output: { type: 'error-text', value: 'No such tool.' },
          },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'The images of the results above, in their order:' },
          { type: 'file', mediaType: 'image/png', data: 'AAAA' },
        ],
      },
    ])
  })

  it('begins like the request before it, and is the same for the same log', () => {
    const before = writeCall(requestOf([user('hello'), foreign, ...results]), own)
    const after = writeCall(requestOf([user('hello'), foreign, ...results, user('more')]), own)
    expect(JSON.stringify(after.prompt.slice(0, -1))).toBe(JSON.stringify(before.prompt))
    expect(writeCall(requestOf([user('hello'), foreign, ...results]), own)).toEqual(before)
  })

  it('has tools, the schema of the answer, the limit and the effort', () => {
    const more = { outputSchema: { type: 'object' }, maxOutputTokens: 99, effort: 'low' }
    expect(writeCall(requestOf([user('x')], more), own)).toMatchObject({
      tools: [{ type: 'function', name: 'shell', inputSchema: { type: 'object' } }],
      toolChoice: { type: 'auto' },
      responseFormat: { type: 'json', schema: { type: 'object' } },
      maxOutputTokens: 99,
      reasoning: 'low',
    })
    expect(writeCall(requestOf([user('x')], { tools: [] }), own)).not.toHaveProperty('toolChoice')
  })
})
