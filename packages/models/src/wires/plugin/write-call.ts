import type {
  ImagePart,
  ModelCall,
  ModelEntry,
  ModelRequest,
  ResponseEntry,
  UserPart,
} from '../../port/model-client.ts'
import { acceptedName, readableArguments } from '../tool-calls.ts'
import { imagesFollow, takeImagesBefore } from '../write-entries.ts'

/** Call of a language model as the AI SDK's interface has it, in values that JSON can carry. */
export interface PluginCall {
  readonly prompt: readonly object[]
  readonly tools?: readonly object[]
  readonly toolChoice?: object
  readonly responseFormat?: object
  readonly maxOutputTokens?: number
  readonly reasoning?: string
}

/** Returns a request in the words of the AI SDK. `adapter` is the client's own, whose parts go back unchanged. */
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

interface Message {
  readonly role: 'user' | 'assistant' | 'tool'
  readonly content: readonly unknown[]
}

/** Returns the messages; results that follow each other are one, as parallel calls need. */
function messagesOf(entries: readonly ModelEntry[], adapter: string): readonly Message[] {
  const names = new Map<string, string>()
  const messages: Message[] = []
  const images: ImagePart[] = []
  for (const entry of entries) {
    messages.push(...imageMessage(takeImagesBefore(entry, images)))
    if (entry.kind === 'response') for (const { callId, name } of entry.calls) names.set(callId, acceptedName(name))
    if (entry.kind === 'result') images.push(...(entry.images ?? []))
    const message = messageOf(entry, adapter, names)
    const last = messages.at(-1)
    if (message.content.length === 0) continue
    if (last?.role === 'tool' && message.role === 'tool')
      messages.splice(-1, 1, { role: 'tool', content: [...last.content, ...message.content] })
    else messages.push(message)
  }
  return [...messages, ...imageMessage(images)]
}

function imageMessage(images: readonly ImagePart[]): readonly Message[] {
  const content = [{ type: 'text', text: imagesFollow }, ...images.flatMap(userPart)]
  return images.length === 0 ? [] : [{ role: 'user', content }]
}

function messageOf(entry: ModelEntry, adapter: string, names: ReadonlyMap<string, string>): Message {
  switch (entry.kind) {
    case 'user':
      return { role: 'user', content: entry.content.flatMap(userPart) }
    case 'response':
      return { role: 'assistant', content: entry.adapter === adapter ? entry.parts : neutralParts(entry) }
    case 'result': {
      const { callId, text, isError } = entry
      const output = { type: isError ? 'error-text' : 'text', value: text }
      const toolName = names.get(callId) ?? 'unknown'
      return { role: 'tool', content: [{ type: 'tool-result', toolCallId: callId, toolName, output }] }
    }
  }
}

function userPart(part: UserPart): readonly object[] {
  if (part.type === 'text') return part.text === '' ? [] : [{ type: 'text', text: part.text }]
  return [{ type: 'file', mediaType: part.mediaType, data: part.base64 }]
}

function neutralParts({ text, calls }: ResponseEntry): readonly object[] {
  return [...(text === '' ? [] : [{ type: 'text', text }]), ...calls.map(callPart)]
}

/** Returns a call as the history has it. */
export function callPart({ callId, name, arguments: written }: ModelCall): object {
  return { type: 'tool-call', toolCallId: callId, toolName: acceptedName(name), input: readableArguments(written) }
}
