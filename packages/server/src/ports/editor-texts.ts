import type { ConversationId } from '@parley/protocol'

/** Texts of files as the editors of clients hold them, which may not be saved. */
export interface EditorTexts {
  /** Resolves to the text of a file; to null where no editor answers in time, or without an error. Never rejects. */
  read(conversationId: ConversationId, path: string, signal: AbortSignal): Promise<string | null>
}
