import { isRecord } from '@parley/text'
import type {
  ImagePart,
  ModelCall,
  ModelEntry,
  ModelRequest,
  ResponseEntry,
  UserPart,
} from '../../port/model-client.ts'
import { readableArguments } from '../tool-calls.ts'
import { imagesFollow, takeImagesBefore } from '../write-entries.ts'
import { createWrittenIds, createWrittenNames } from '../written-forms.ts'

/** Call of a language model as the AI SDK's interface has it, in values that JSON can carry. */
export interface PluginCall {
  readonly prompt: readonly object[]
  readonly tools?: readonly object[]
  readonly toolChoice?: object
  readonly responseFormat?: object
  readonly maxOutputTokens?: number
  readonly reasoning?: string
}

/** Returns a request in the words of the AI SDK. Parts of responses with this `adapter` go back unchanged. */
export function writeCall(request: ModelRequest, adapter: string): PluginCall {
  const { instructions, entries, tools, outputSchema, maxOutputTokens, effort } = request
  const system = instructions === '' ? [] : [{ role: 'system', content: instructions }]
  return {
    prompt: [...system, ...messagesOf(entries, adapter)],
    ...(tools.length === 0 ? {} : { tools: tools.map(toolOf), toolChoice: { type: 'auto' } }),
    ...(outputSchema === undefined ? {} : { responseFormat: { type: 'json', schema: outputSchema, name: 'answer' } }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(effort === undefined ? {} : { reasoning: effort }),
  }
}

function toolOf({ name, description, parameters }: ModelRequest['tools'][number]): object {
  return { type: 'function', name, description, inputSchema: parameters }
}

interface PromptMessage {
  readonly role: 'user' | 'assistant' | 'tool'
  readonly content: readonly unknown[]
}

/** Returns the messages; results that follow each other are one, as parallel calls need. */
function messagesOf(entries: readonly ModelEntry[], adapter: string): readonly PromptMessage[] {
  const noteCalls = createCallForms(adapter)
  const written: WrittenCalls = new Map()
  const messages: PromptMessage[] = []
  const images: ImagePart[] = []
  for (const entry of entries) {
    for (const message of imageMessage(takeImagesBefore(entry, images))) messages.push(message)
    if (entry.kind === 'response') noteCalls(entry, written)
    if (entry.kind === 'result') for (const image of entry.images ?? []) images.push(image)
    const message = messageOf(entry, adapter, written)
    const last = messages.at(-1)
    if (message.content.length === 0) continue
    if (last?.role === 'tool' && message.role === 'tool')
      messages.splice(-1, 1, { role: 'tool', content: [...last.content, ...message.content] })
    else messages.push(message)
  }
  return [...messages, ...imageMessage(images)]
}

function imageMessage(images: readonly ImagePart[]): readonly PromptMessage[] {
  const content = [{ type: 'text', text: imagesFollow }, ...images.flatMap(userPart)]
  return images.length === 0 ? [] : [{ role: 'user', content }]
}

/** Sent id and name of each call, by its id in the conversation. */
type WrittenCalls = Map<string, Pick<ModelCall, 'callId' | 'name'>>

/** Names that every provider takes. */
const acceptedNames = /^[\w-]{1,64}$/

/** Creates a function that notes how the calls of a response go out. The ids of the package's own provider stay. */
function createCallForms(adapter: string): (response: ResponseEntry, written: WrittenCalls) => void {
  const idOf = createWrittenIds()
  const { foreign } = createWrittenNames(acceptedNames)
  return (response, written) => {
    for (const { callId, name } of response.calls)
      written.set(callId, { callId: response.adapter === adapter ? callId : idOf(callId), name: foreign(name) })
  }
}

function messageOf(entry: ModelEntry, adapter: string, written: WrittenCalls): PromptMessage {
  switch (entry.kind) {
    case 'user':
      return { role: 'user', content: entry.content.flatMap(userPart) }
    case 'response':
      return {
        role: 'assistant',
        content:
          entry.adapter === adapter ? entry.parts.map((part) => ownPart(part, written)) : neutralParts(entry, written),
      }
    case 'result': {
      const { callId, text, isError } = entry
      const output = { type: isError ? 'error-text' : 'text', value: text }
      const { callId: toolCallId, name: toolName } = written.get(callId) ?? { callId, name: 'unknown' }
      return { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] }
    }
  }
}

function userPart(part: UserPart): readonly object[] {
  if (part.type === 'text') return part.text === '' ? [] : [{ type: 'text', text: part.text }]
  return [{ type: 'file', mediaType: part.mediaType, data: part.base64 }]
}

function neutralParts({ text, calls }: ResponseEntry, written: WrittenCalls): readonly object[] {
  const callParts = calls.map((call) => callPart({ ...call, ...written.get(call.callId) }))
  return text === '' ? callParts : [{ type: 'text', text }, ...callParts]
}

/** Returns a part as the package gave it, with the sent name of a call. */
function ownPart(part: unknown, written: WrittenCalls): unknown {
  const id = isRecord(part) && part['type'] === 'tool-call' ? part['toolCallId'] : undefined
  const call = typeof id === 'string' ? written.get(id) : undefined
  if (!isRecord(part) || call === undefined || call.name === part['toolName']) return part
  return { ...part, toolName: call.name }
}

/** Returns a call as the interface of the AI SDK has it. */
export function callPart({ callId, name, arguments: written }: ModelCall): object {
  return { type: 'tool-call', toolCallId: callId, toolName: name, input: readableArguments(written) }
}
