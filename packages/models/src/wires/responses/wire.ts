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
import { createEntryWriter, writeElements } from '../json.ts'
import { dataUrl, openaiApi } from '../openai-api.ts'
import { acceptedName } from '../tool-calls.ts'
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
  const withReasoning = createEntryWriter((entry, entries) =>
    writeEntry(entry, entries, (own) => own.adapter === adapter),
  )
  const withoutReasoning = createEntryWriter((entry, entries) =>
    writeEntry(entry, entries, (own) => own.adapter === adapter && !own.parts.some(isReasoning)),
  )
  return (request) => {
    const writeEntries = plainModels.test(request.model) ? withoutReasoning : withReasoning
    const head = JSON.stringify(settingsOf(request)).slice(0, -1)
    const tools =
      request.tools.length === 0
        ? ''
        : `,"tools":${JSON.stringify(request.tools.map(toolOf))},"tool_choice":"auto","parallel_tool_calls":true`
    return [Buffer.from(`${head}${tools},"input":[`), ...writeEntries(request.entries), Buffer.from(']}')]
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

/** Tests if a call goes back as a call of a freeform tool; its result has a type of its own then. */
function isFreeform(callId: string, entries: readonly ModelEntry[], goesBack: GoesBack): boolean {
  const made = entries.findLast(
    (entry) => entry.kind === 'response' && entry.calls.some((call) => call.callId === callId),
  )
  if (made?.kind !== 'response' || !goesBack(made)) return false
  return made.parts.some((part) => isRecord(part) && part['type'] === 'custom_tool_call' && part['call_id'] === callId)
}

function writeEntry(entry: ModelEntry, entries: readonly ModelEntry[], goesBack: GoesBack): string {
  switch (entry.kind) {
    case 'user': {
      return JSON.stringify({ type: 'message', role: 'user', content: entry.content.map(inputOf) })
    }
    case 'result': {
      const isText = isFreeform(entry.callId, entries, goesBack)
      const type = isText ? 'custom_tool_call_output' : 'function_call_output'
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
