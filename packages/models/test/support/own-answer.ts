import type { ModelCall, ResponseEntry } from '../../src/port/model-client.ts'
import { response } from './requests.ts'

export type OwnWire = 'responses' | 'chat' | 'anthropic' | 'gemini' | 'plugin'

/** Returns an answer as a provider of the wire gave it, and its reader left it. */
export function ownAnswer(wire: OwnWire, calls: readonly ModelCall[], text = ''): ResponseEntry {
  return response({ adapter: `${wire}/1:mine`, parts: ownParts[wire](calls, text), text, calls })
}

const ownParts: Readonly<Record<OwnWire, (calls: readonly ModelCall[], text: string) => readonly object[]>> = {
  chat: (calls, text) => [
    {
      role: 'assistant',
      content: text === '' ? null : text,
      tool_calls: calls.map(({ callId, name, arguments: written }) => ({
        id: callId,
        type: 'function',
        function: { name, arguments: written },
      })),
    },
  ],
  responses: (calls, text) => [
    ...(text === ''
      ? []
      : [{ id: 'msg_1', type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }]),
    ...calls.map(({ callId, name, arguments: written }) => ({
      id: 'fc_1',
      type: 'function_call',
      call_id: callId,
      name,
      arguments: written,
    })),
  ],
  anthropic: (calls, text) => [
    ...(text === '' ? [] : [{ type: 'text', text }]),
    ...calls.map(({ callId, name, arguments: written }) => ({
      type: 'tool_use',
      id: callId,
      name,
      input: JSON.parse(written),
    })),
  ],
  gemini: (calls, text) => [
    ...(text === '' ? [] : [{ text }]),
    ...calls.map(({ callId, name, arguments: written }) => ({
      functionCall: { id: callId, name, args: JSON.parse(written) },
    })),
  ],
  plugin: (calls, text) => [
    ...(text === '' ? [] : [{ type: 'text', text }]),
    ...calls.map(({ callId, name, arguments: written }) => ({
      type: 'tool-call',
      toolCallId: callId,
      toolName: name,
      input: JSON.parse(written),
    })),
  ],
}
