import { dataUrl } from '../openai-api.ts'
import type { ModelCall, ModelEntry, ModelRequest, ResponseEntry, ToolSpec, UserPart } from '../../port/model-client.ts'
import { createEntryJoiner, writeElements, parseRecord } from '../json.ts'
import type { WriteRequest } from '../wire.ts'

/** Only fields that every compatible server takes; `prompt_cache_key` is not one of them. */
export function createChatWriter(adapter: string): WriteRequest {
  const joinEntries = createEntryJoiner((entry) => writeEntry(entry, adapter))
  return (request) => {
    const head = JSON.stringify(settingsOf(request)).slice(0, -1)
    const tools =
      request.tools.length === 0 ? '' : `,"tools":${JSON.stringify(request.tools.map(toolOf))},"tool_choice":"auto"`
    const { instructions } = request
    const system = instructions === '' ? '' : JSON.stringify({ role: 'system', content: instructions })
    const messages = [system, joinEntries(request.entries)].filter((text) => text !== '').join(',')
    return `${head}${tools},"messages":[${messages}]}`
  }
}

function settingsOf({ model, effort, outputSchema: schema }: ModelRequest): object {
  return {
    model,
    stream: true,
    stream_options: { include_usage: true },
    ...(effort === undefined ? {} : { reasoning_effort: effort }),
    ...(schema === undefined
      ? {}
      : { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } } }),
  }
}

function toolOf({ name, description, parameters }: ToolSpec): object {
  return { type: 'function', function: { name, description, parameters } }
}

function writeEntry(entry: ModelEntry, adapter: string): string {
  switch (entry.kind) {
    case 'user':
      return JSON.stringify({ role: 'user', content: contentOf(entry.content) })
    case 'result':
      return JSON.stringify({ role: 'tool', tool_call_id: entry.callId, content: entry.text })
    case 'response':
      return writeElements(entry.adapter === adapter ? entry.parts : neutralMessages(entry))
  }
}

/** Only text as plain text: many servers take nothing else, and only models that see take images. */
function contentOf(parts: readonly UserPart[]): string | readonly object[] {
  const texts = parts.filter((part) => part.type === 'text')
  if (texts.length === parts.length) return texts.map(({ text }) => text).join('\n\n')
  return parts.map((part) => (part.type === 'text' ? part : { type: 'image_url', image_url: { url: dataUrl(part) } }))
}

function neutralMessages({ text, calls }: ResponseEntry): readonly object[] {
  return text === '' && calls.length === 0 ? [] : [assistantMessage({ text, calls: calls.map(toolCallOf) })]
}

function toolCallOf({ callId, name, arguments: written }: ModelCall) {
  return { id: callId, name, arguments: written }
}

export interface WrittenCall {
  readonly id: string
  readonly name: string
  readonly arguments: string
  /** What the server put beside the known fields and wants back, such as a thought signature. */
  readonly extra?: object
}

interface AssistantContent {
  readonly text: string
  readonly calls: readonly WrittenCall[]
  readonly reasoningContent?: string
}

/** The assistant's message as it goes back. */
export function assistantMessage({ text, calls, reasoningContent }: AssistantContent): object {
  if (calls.length === 0) return { role: 'assistant', content: text }
  return {
    role: 'assistant',
    content: text === '' ? null : text,
    // DeepSeek, Kimi and their like refuse a call whose reasoning is missing, and only they name it so.
    ...(reasoningContent ? { reasoning_content: reasoningContent } : {}),
    tool_calls: calls.map((call) => ({
      ...call.extra,
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: sendableArguments(call.arguments) },
    })),
  }
}

/** Chat templates parse the arguments again; text that is not an object would fail every later request. */
function sendableArguments(written: string): string {
  return parseRecord(written) === undefined ? JSON.stringify({ unreadable: written }) : written
}
