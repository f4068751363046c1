import { wellFormedJson } from '@parley/text'
import type { ModelRequest, ToolSpec } from '../../port/model-client.ts'
import type { HttpWire, WriteRequest } from '../../port/wire.ts'
import { openaiApi } from '../openai-api.ts'
import { bodyOf } from '../write-entries.ts'
import { createResponsesReader } from './read-response.ts'
import { createItemWriter, isReasoning } from './write-items.ts'

/** Wire of the Responses API of OpenAI. */
export const responsesWire: HttpWire = {
  ...openaiApi,
  version: 'responses/1',
  requestPath: () => '/responses',
  createWriter: createResponsesWriter,
  createReader: createResponsesReader,
}

/** Models known to reason without an effort; others reject the request for encrypted reasoning. */
const reasoningModels = /(?:^|\/)(?:gpt-(?:[5-9]|\d\d)|o\d|codex)(?!.*-chat)/

/** Models known to reject the reasoning of other models; models of open servers are not among them. */
const plainModels = /(?:^|\/)(?:gpt-[34]|chatgpt|gpt-5.*-chat)/

/** Name of the schema of an answer, which models read. */
const answerName = 'answer'

/** Creates a writer of requests to a server that stores nothing: encrypted reasoning goes back with the input. */
export function createResponsesWriter(adapter: string): WriteRequest {
  const withReasoning = createItemWriter((own) => own.adapter === adapter)
  const withoutReasoning = createItemWriter((own) => own.adapter === adapter && !own.parts.some(isReasoning))
  return (request) => {
    const writeItems = plainModels.test(request.model) ? withoutReasoning : withReasoning
    const head = wellFormedJson(settingsOf(request)).slice(0, -1)
    const tools =
      request.tools.length === 0
        ? ''
        : `,"tools":${wellFormedJson(request.tools.map(toolOf))},"tool_choice":"auto","parallel_tool_calls":true`
    return bodyOf(`${head}${tools},"input":`, writeItems(request.entries))
  }
}

function settingsOf(request: ModelRequest): object {
  const { model, effort, instructions, cacheKey, outputSchema: schema, maxOutputTokens } = request
  const reasons = effort !== undefined || reasoningModels.test(model)
  return {
    model,
    instructions,
    stream: true,
    store: false,
    prompt_cache_key: cacheKey,
    ...(maxOutputTokens === undefined ? {} : { max_output_tokens: maxOutputTokens }),
    ...(schema === undefined
      ? {}
      : { text: { format: { type: 'json_schema', name: answerName, schema, strict: true } } }),
    ...(reasons
      ? {
          reasoning: effort === undefined ? { summary: 'auto' } : { effort, summary: 'auto' },
          include: ['reasoning.encrypted_content'],
        }
      : {}),
  }
}

function toolOf({ name, description, parameters, freeform }: ToolSpec): object {
  if (freeform === undefined) return { type: 'function', name, description, parameters, strict: false }
  const format = { type: 'grammar', syntax: 'lark', definition: freeform.grammar }
  return { type: 'custom', name, description: freeform.description, format }
}
