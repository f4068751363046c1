import type {
  ImagePart,
  ModelCall,
  ModelEntry,
  ModelRequest,
  ResponseEntry,
  ToolSpec,
  UserPart,
} from '../../port/model-client.ts'
import type { HttpWire, WriteRequest } from '../../port/wire.ts'
import { createEntryJoiner, writeElements } from '../json.ts'
import { dataUrl, openaiApi } from '../openai-api.ts'
import { imagesEndingAt, imagesFollow } from '../result-images.ts'
import { createChatReader } from './read-response.ts'
import { assistantMessage } from './response-parts.ts'

/** Wire of the Chat Completions API, which most compatible servers have. */
export const chatWire: HttpWire = {
  ...openaiApi,
  version: 'chat/1',
  requestPath: () => '/chat/completions',
  createWriter: createChatWriter,
  createReader: createChatReader,
}

/** Creates a writer of requests with only those fields that every compatible server accepts. */
export function createChatWriter(adapter: string): WriteRequest {
  const joinEntries = createEntryJoiner((entry, entries) => writeEntry(entry, adapter, entries))
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

function writeEntry(entry: ModelEntry, adapter: string, entries: readonly ModelEntry[]): string {
  switch (entry.kind) {
    case 'user':
      return JSON.stringify({ role: 'user', content: contentOf(entry.content) })
    case 'result':
      return writeElements([
        { role: 'tool', tool_call_id: entry.callId, content: entry.text },
        ...imageMessages(imagesEndingAt(entry, entries)),
      ])
    case 'response':
      return writeElements(entry.adapter === adapter ? entry.parts : neutralMessages(entry))
  }
}

/** Returns a message with the images of results, which messages of tools cannot have and which must not stand between them. */
function imageMessages(images: readonly ImagePart[]): readonly object[] {
  if (images.length === 0) return []
  return [{ role: 'user', content: contentOf([{ type: 'text', text: imagesFollow }, ...images]) }]
}

/** Returns content as plain text where possible: many servers accept nothing else, and few models accept images. */
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
