import type { Parley } from '@parley/client'
import { shareConversation } from '@parley/presentation/commands/share-conversation'
import type { ShareRequest } from '@parley/presentation/commands/share-words'
import type { Notice } from '@parley/presentation/notices/notice'
import type { ConversationId } from '@parley/protocol'

/** Changes who reaches a conversation. Resolves to a notice of the change. */
export function shareNow(
  request: ShareRequest,
  conversationId: ConversationId,
  parley: Pick<Parley, 'request'>,
): Promise<Notice> {
  return shareConversation(request, { conversationId, nowMs: Date.now() }, parley)
}
