import { parseRecord } from '../json-values.ts'

export interface WrittenCall {
  readonly id: string
  readonly name: string
  readonly arguments: string
  /** What the server put beside the known fields and wants back, such as a thought signature. */
  readonly extra?: object
}

export interface AssistantContent {
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
