import { wellFormedJson } from '@parley/text'
import type { ModelRequest, ToolSpec } from '../../port/model-client.ts'
import type { HttpWire, WriteRequest } from '../../port/wire.ts'
import { openaiApi } from '../openai-api.ts'
import { bodyOf } from '../write-entries.ts'
import { createChatReader } from './read-response.ts'
import { createMessageWriter } from './write-messages.ts'

/** Wire of the Chat Completions API, which most compatible servers have. */
export const chatWire: HttpWire = {
  ...openaiApi,
  version: 'chat/1',
  requestPath: () => '/chat/completions',
  createWriter: createChatWriter,
  createReader: createChatReader,
}

/** Creates a writer of requests with only the fields that every compatible server accepts. */
export function createChatWriter(adapter: string): WriteRequest {
  const writeMessages = createMessageWriter(adapter)
  return (request) => {
    const head = wellFormedJson(settingsOf(request)).slice(0, -1)
    const tools =
      request.tools.length === 0 ? '' : `,"tools":${wellFormedJson(request.tools.map(toolOf))},"tool_choice":"auto"`
    const { instructions } = request
    const messages = writeMessages(request.entries, request.model)
    const comma = messages.length === 0 ? '' : ','
    const system =
      instructions === '' ? [] : [Buffer.from(`${wellFormedJson({ role: 'system', content: instructions })}${comma}`)]
    return bodyOf(`${head}${tools},"messages":`, [...system, ...messages])
  }
}

function settingsOf({ model, effort, outputSchema: schema, maxOutputTokens }: ModelRequest): object {
  return {
    model,
    stream: true,
    stream_options: { include_usage: true },
    ...(effort === undefined ? {} : { reasoning_effort: effort }),
    ...(maxOutputTokens === undefined ? {} : { max_tokens: maxOutputTokens }),
    ...(schema === undefined
      ? {}
      : { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } } }),
  }
}

function toolOf({ name, description, parameters }: ToolSpec): object {
  return { type: 'function', function: { name, description, parameters } }
}
