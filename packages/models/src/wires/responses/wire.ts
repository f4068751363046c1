import { isRecord } from '@parley/text'
import type {
  ModelEntry,
  ModelRequest,
  ResponseEntry,
  ResultEntry,
  ToolSpec,
  UserPart,
} from '../../port/model-client.ts'
import type { HttpWire, WriteRequest } from '../../port/wire.ts'
import { writeElements } from '../json.ts'
import { dataUrl, openaiApi } from '../openai-api.ts'
import { acceptedName } from '../tool-calls.ts'
import { bodyOf, createEntryWriter } from '../write-entries.ts'
import { createResponsesReader } from './read-response.ts'

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

/** Models known to reject the reasoning of others; those of open servers are not among them. */
const plainModels = /(?:^|\/)(?:gpt-[34]|chatgpt|gpt-5.*-chat)/

/** Name of the schema of an answer, which models read. */
const answerName = 'answer'

/** Creates a writer of stateless requests: the server stores nothing, so encrypted reasoning goes back with the input. */
export function createResponsesWriter(adapter: string): WriteRequest {
  const withReasoning = createItemWriter((own) => own.adapter === adapter)
  const withoutReasoning = createItemWriter((own) => own.adapter === adapter && !own.parts.some(isReasoning))
  return (request) => {
    const writeItems = plainModels.test(request.model) ? withoutReasoning : withReasoning
    const head = JSON.stringify(settingsOf(request)).slice(0, -1)
    const tools =
      request.tools.length === 0
        ? ''
        : `,"tools":${JSON.stringify(request.tools.map(toolOf))},"tool_choice":"auto","parallel_tool_calls":true`
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

/** Tells the items that only a model that reasons takes; other items of its answer cannot stand without them. */
function isReasoning(item: unknown): boolean {
  return isRecord(item) && item['type'] === 'reasoning'
}

function toolOf({ name, description, parameters, freeform }: ToolSpec): object {
  if (freeform === undefined) return { type: 'function', name, description, parameters, strict: false }
  const format = { type: 'grammar', syntax: 'lark', definition: freeform.grammar }
  return { type: 'custom', name, description: freeform.description, format }
}

/** Tests if a response goes back in its own items. */
type GoesBack = (response: ResponseEntry) => boolean

/** Ids of the calls that go back as calls of a freeform tool; their results have a type of their own then. */
type FreeformCalls = Set<string>

/** Creates a writer of input items, which are final as soon as they are written. */
function createItemWriter(goesBack: GoesBack) {
  return createEntryWriter<FreeformCalls>({
    begin: () => new Set(),
    settle(freeform, entry) {
      if (entry.kind === 'response') noteFreeform(freeform, entry, goesBack)
      return writeEntry(entry, freeform, goesBack)
    },
    rest: () => '',
  })
}

function noteFreeform(freeform: FreeformCalls, response: ResponseEntry, goesBack: GoesBack): void {
  const parts = goesBack(response) ? response.parts : []
  const ids = parts.flatMap((part) => (isRecord(part) && part['type'] === 'custom_tool_call' ? [part['call_id']] : []))
  for (const { callId } of response.calls) {
    if (ids.includes(callId)) freeform.add(callId)
    else freeform.delete(callId)
  }
}

function writeEntry(entry: ModelEntry, freeform: FreeformCalls, goesBack: GoesBack): string {
  switch (entry.kind) {
    case 'user': {
      return JSON.stringify({ type: 'message', role: 'user', content: entry.content.map(inputOf) })
    }
    case 'result': {
      const type = freeform.has(entry.callId) ? 'custom_tool_call_output' : 'function_call_output'
      return JSON.stringify({ type, call_id: entry.callId, output: outputOf(entry) })
    }
    case 'response':
      return writeElements(goesBack(entry) ? entry.parts : neutralItems(entry))
  }
}

/** Returns the output of a call: its text, followed by its images. */
function outputOf({ text, images = [] }: ResultEntry): string | readonly object[] {
  return images.length === 0 ? text : [{ type: 'text' as const, text }, ...images].map(inputOf)
}

function inputOf(part: UserPart): object {
  if (part.type === 'text') return { type: 'input_text', text: part.text }
  return { type: 'input_image', image_url: dataUrl(part) }
}

function neutralItems({ text, calls }: ResponseEntry): readonly object[] {
  const message = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }
  const items = calls.map((call) => ({
    type: 'function_call',
    call_id: call.callId,
    name: acceptedName(call.name),
    arguments: call.arguments,
  }))
  return text === '' ? items : [message, ...items]
}
