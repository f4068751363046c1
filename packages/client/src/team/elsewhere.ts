import type { ConversationId, ServerNotice } from '@parley/protocol'

/** Errno by which a server says that another one writes a conversation. */
const takenErrno = 'STORE_TAKEN'

/** Tells if a notice says that the server has lost a conversation to another one, or passed it on. */
export function isTaken(notice: ServerNotice): notice is ServerNotice & { readonly conversationId: ConversationId } {
  return notice.errno === takenErrno && notice.conversationId !== undefined
}

/** Returns true for a rejection by which nothing was done, because another server has the conversation, or none. */
export function isElsewhere(code: string | null, errno: unknown): boolean {
  return code === 'liveElsewhere' || code === 'conversationNotFound' || errno === takenErrno
}
