import type { CallToolResult } from '@modelcontextprotocol/server'

/** A result that is data: also as JSON text, for clients that read only that. */
export function structured(value: Readonly<Record<string, unknown>>, isError = false): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: { ...value }, isError }
}

/** What went wrong, for the one who called: never an error of the protocol, which clients keep from the model. */
export function failed(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}

/** The last words of a turn. Under both names that clients know the conversation by. */
export function answered(conversationId: string, content: string, isError = false): CallToolResult {
  return {
    content: [{ type: 'text', text: content }],
    structuredContent: { conversationId, threadId: conversationId, content },
    ...(isError ? { isError } : {}),
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
