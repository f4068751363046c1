import type { ConversationId } from './schema/ids.ts'

/** Returns the last 8 hex digits of an id, for people; the first ones of a UUIDv7 are the clock. */
export function shortIdOf(conversationId: ConversationId): string {
  return conversationId.slice(-8)
}
