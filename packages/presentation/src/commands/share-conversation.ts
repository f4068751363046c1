import type { ConversationId, ParamsOf, ResultOf } from '@parley/protocol'
import type { Notice } from '../notices/notice.ts'
import { linkNotice, type ShareRequest } from './share-words.ts'

const dayMs = 24 * 3_600_000

type SharingMethod = 'conversation/share' | 'conversation/link/make' | 'conversation/link/revoke'

/** Server that shares a conversation. */
interface SharingServer {
  request<M extends SharingMethod>(method: M, params: ParamsOf<M>): Promise<ResultOf<M>>
}

/** Gives or takes access to a conversation. Resolves to a notice of the change. */
export async function shareConversation(
  asked: ShareRequest,
  { conversationId, nowMs }: { readonly conversationId: ConversationId; readonly nowMs: number },
  server: SharingServer,
): Promise<Notice> {
  switch (asked.kind) {
    case 'give': {
      const { user, role } = asked
      await server.request('conversation/share', { conversationId, user, role })
      return note(role === null ? `${user} does not reach this conversation any more.` : `${user} is ${role} here now.`)
    }
    case 'link': {
      const life = asked.days === null ? {} : { lifeMs: asked.days * dayMs }
      return linkNotice(await server.request('conversation/link/make', { conversationId, ...life }), nowMs)
    }
    case 'revoke':
      await server.request('conversation/link/revoke', { conversationId, linkId: asked.linkId })
      return note(`The link ${asked.linkId} shows nothing any more.`)
  }
}

function note(text: string): Notice {
  return { kind: 'note', level: 'info', text }
}
