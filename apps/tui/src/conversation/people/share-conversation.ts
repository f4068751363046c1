import type { Parley } from '@parley/client'
import type { ConversationId } from '@parley/protocol'
import type { Notice } from '../../ui/notices/notice.ts'
import { linkNotice, type ShareRequest } from '../../ui/people/share-words.ts'

const dayMs = 24 * 3_600_000

/** Changes who reaches a conversation. Resolves to what is said of it. */
export async function shareConversation(
  asked: ShareRequest,
  conversationId: ConversationId,
  parley: Pick<Parley, 'request'>,
): Promise<Notice> {
  switch (asked.kind) {
    case 'give': {
      const { user, role } = asked
      await parley.request('conversation/share', { conversationId, user, role })
      return note(role === null ? `${user} does not reach this conversation any more.` : `${user} is ${role} here now.`)
    }
    case 'link': {
      const life = asked.days === null ? {} : { lifeMs: asked.days * dayMs }
      return linkNotice(await parley.request('conversation/link/make', { conversationId, ...life }), Date.now())
    }
    case 'revoke':
      await parley.request('conversation/link/revoke', { conversationId, linkId: asked.linkId })
      return note(`The link ${asked.linkId} shows nothing any more.`)
  }
}

function note(text: string): Notice {
  return { kind: 'note', level: 'info', text }
}
