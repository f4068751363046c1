import { describe, expect, it } from 'vitest'
import type { ModelEntry } from '../../src/port/model-client.ts'
import { anthropicWire } from '../../src/wires/anthropic/wire.ts'
import { createChatWriter } from '../../src/wires/chat/wire.ts'
import { geminiWire } from '../../src/wires/gemini/wire.ts'
import { createResponsesWriter } from '../../src/wires/responses/wire.ts'
import { requestOf, response, result, textWriter, user } from '../support/requests.ts'

const image = { type: 'image', mediaType: 'image/png', base64: 'QUJD' } as const
const calls = ['c1', 'c2'].map((callId) => ({ callId, name: 'view_image', arguments: '{}' }))

function talk(more: { isError?: boolean } = {}): readonly ModelEntry[] {
  return [
    user('look'),
    response({ calls }),
    { kind: 'result', callId: 'c1', text: 'a.png', images: [image], isError: more.isError ?? false },
    result('c2', 'nothing'),
    user('and now?'),
  ]
}

const bodyOf = (text: string) => JSON.parse(text)

describe('an image in a result', () => {
  it('is an input image in the output on the Responses wire', () => {
    const { input } = bodyOf(textWriter(createResponsesWriter('own'))(requestOf(talk())))
    expect(input.slice(3, 5)).toEqual([
      {
        type: 'function_call_output',
        call_id: 'c1',
        output: [
          { type: 'input_text', text: 'a.png' },
          { type: 'input_image', image_url: 'data:image/png;base64,QUJD' },
        ],
      },
      { type: 'function_call_output', call_id: 'c2', output: 'nothing' },
    ])
  })

  it('is a block of the result on the Anthropic wire, but not of an error, where the API rejects it', () => {
    const write = textWriter(anthropicWire.createWriter('own'))
    const { messages } = bodyOf(write(requestOf(talk())))
    expect(messages[2].content[0]).toEqual({
      type: 'tool_result',
      tool_use_id: 'c1',
      content: [
        { type: 'text', text: 'a.png' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'QUJD' } },
      ],
    })
    const failed = bodyOf(write(requestOf(talk({ isError: true }))))
    expect(failed.messages[2].content[0]).toEqual({
      type: 'tool_result',
      tool_use_id: 'c1',
      content: 'a.png',
      is_error: true,
    })
  })

  it('follows all results of the response as a message on the Chat wire', () => {
    const { messages } = bodyOf(textWriter(createChatWriter('own'))(requestOf(talk())))
    expect(messages.slice(3)).toEqual([
      { role: 'tool', tool_call_id: expect.any(String), content: 'a.png' },
      { role: 'tool', tool_call_id: expect.any(String), content: 'nothing' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'The images of the results above, in their order:' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,QUJD' } },
          { type: 'text', text: 'and now?' },
        ],
      },
    ])
  })

  it('is a part of the result on the Gemini wire, and follows the results for older models', () => {
    const write = textWriter(geminiWire.createWriter('own'))
    const inline = { inlineData: { mimeType: 'image/png', data: 'QUJD' } }
    const parts = (model: string) => bodyOf(write(requestOf(talk(), { model }))).contents[2].parts
    const answer = (output: string) => ({ name: 'view_image', response: { output } })
    expect(parts('gemini-3-pro')).toEqual([
      { functionResponse: { ...answer('a.png'), parts: [inline] } },
      { functionResponse: answer('nothing') },
    ])
    expect(parts('gemini-2.5-pro')).toEqual([
      { functionResponse: answer('a.png') },
      { functionResponse: answer('nothing') },
      { text: 'The images of the results above, in their order:' },
      inline,
    ])
  })

  it('leaves the bytes of the conversation as they were when more follows', () => {
    for (const createWriter of [createResponsesWriter, createChatWriter]) {
      const write = textWriter(createWriter('own'))
      const shorter = write(requestOf(talk().slice(0, 4))).replace(/[\]}]+$/, '')
      expect(write(requestOf(talk())).slice(0, shorter.length)).toBe(shorter)
    }
  })

  it('is gone from the request when its result is cleared, and another of the round is not', () => {
    const entries = talk()
    const cleared = entries.with(2, result('c1', '(cleared)'))
    for (const write of [
      textWriter(createChatWriter('own')),
      textWriter(createResponsesWriter('own')),
      textWriter(anthropicWire.createWriter('own')),
      textWriter(geminiWire.createWriter('own')),
    ]) {
      const model = 'gemini-2.5-pro'
      expect(write(requestOf(entries, { model }))).toContain('QUJD')
      expect(write(requestOf(cleared, { model }))).not.toContain('QUJD')
      expect(write(requestOf(entries, { model }))).toContain('QUJD')
    }
  })
})
