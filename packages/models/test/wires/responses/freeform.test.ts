import { describe, expect, it } from 'vitest'
import type { ModelEvent } from '../../../src/port/model-client.ts'
import { createChatWriter } from '../../../src/wires/chat/wire.ts'
import { createResponsesWriter, responsesWire } from '../../../src/wires/responses/wire.ts'
import { readPieces, readStream, responsesEvent } from '../../support/read-body.ts'
import { requestOf, response, result, textWriter, user } from '../../support/requests.ts'

const patchTool = {
  name: 'apply_patch',
  description: 'Applies a patch given as JSON.',
  parameters: { type: 'object', properties: { patch: { type: 'string' } } },
  freeform: { field: 'patch', description: 'Applies a patch given as text.', grammar: 'start: /(.*)/' },
} as const

const input = '*** Begin Patch\n*** Delete File: "é".txt\n*** End Patch'
const item = { type: 'custom_tool_call', id: 'ctc_1', call_id: 'call_1', name: 'apply_patch', input }

/** A stream after that of the AI SDK's fixture of a custom tool. */
const stream = [
  responsesEvent('response.created', { response: { id: 'resp_1', status: 'in_progress', output: [] } }),
  responsesEvent('response.output_item.added', { output_index: 0, item: { ...item, input: '' } }),
  responsesEvent('response.custom_tool_call_input.delta', { item_id: 'ctc_1', output_index: 0, delta: input }),
  responsesEvent('response.custom_tool_call_input.done', { item_id: 'ctc_1', output_index: 0, input }),
  responsesEvent('response.output_item.done', { output_index: 0, item: { ...item, status: 'completed' } }),
  responsesEvent('response.completed', {
    response: { id: 'resp_1', status: 'completed', output: [], usage: { input_tokens: 5, output_tokens: 7 } },
  }),
].join('')

const request = requestOf([user('go')], { tools: [patchTool] })

function withoutProgress(events: readonly ModelEvent[]) {
  return events.filter(({ type }) => type !== 'callDelta')
}

describe('a freeform tool on the Responses wire', () => {
  it('is declared with its grammar; a wire without such tools declares the function', () => {
    expect(JSON.parse(textWriter(createResponsesWriter('own'))(request)).tools).toEqual([
      {
        type: 'custom',
        name: 'apply_patch',
        description: 'Applies a patch given as text.',
        format: { type: 'grammar', syntax: 'lark', definition: 'start: /(.*)/' },
      },
    ])
    const { name, description, parameters } = patchTool
    expect(JSON.parse(textWriter(createChatWriter('own'))(request)).tools).toEqual([
      { type: 'function', function: { name, description, parameters } },
    ])
  })

  it('is called with its text as one field of JSON, whole at every cut', () => {
    const whole = readStream(responsesWire, stream, request)
    expect(whole[0]).toEqual({ type: 'callDelta', part: 'call-0', name: 'apply_patch', argumentBytes: 0 })
    expect(withoutProgress(whole)).toEqual([
      {
        type: 'call',
        part: 'call-0',
        callId: 'call_1',
        name: 'apply_patch',
        arguments: JSON.stringify({ patch: input }),
      },
      expect.objectContaining({ type: 'completed', parts: [{ ...item, status: 'completed' }], stop: 'stop' }),
    ])
    const bytes = Buffer.from(stream)
    for (let cut = 1; cut < bytes.length; cut++)
      expect(readPieces(responsesWire, [bytes.subarray(0, cut), bytes.subarray(cut)], request)).toEqual(whole)
  })

  it('that was cut short is no call', () => {
    const cut = { ...item, input: '*** Begin', status: 'incomplete' }
    const text = [
      responsesEvent('response.output_item.done', { output_index: 0, item: cut }),
      responsesEvent('response.incomplete', { response: { incomplete_details: { reason: 'max_output_tokens' } } }),
    ].join('')
    expect(readStream(responsesWire, text, request).map(({ type }) => type)).toEqual(['completed'])
  })

  it('gets its result in the type that belongs to its call, also where another response repeats the id', () => {
    const call = { callId: 'call_1', name: 'apply_patch', arguments: JSON.stringify({ patch: input }) }
    const other = { callId: 'call_2', name: 'shell', arguments: '{}' }
    const shell = { type: 'function_call', call_id: 'call_2', name: 'shell', arguments: '{}' }
    const entries = [
      user('go'),
      response({ adapter: 'own', parts: [item, shell], calls: [call, other] }),
      result('call_1'),
      result('call_2'),
    ]
    const types = (adapter: string) =>
      JSON.parse(textWriter(createResponsesWriter(adapter))(requestOf(entries))).input.map(
        ({ type }: { type: string }) => type,
      )
    expect(types('own').slice(1)).toEqual([
      'custom_tool_call',
      'function_call',
      'custom_tool_call_output',
      'function_call_output',
    ])
    expect(types('another').slice(1)).toEqual([
      'function_call',
      'function_call',
      'function_call_output',
      'function_call_output',
    ])
  })
})
