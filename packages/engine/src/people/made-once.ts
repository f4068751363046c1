import type { ConversationId, RequestKey } from '@parley/protocol'
import type { Guest } from '../limits/may-loosen.ts'
import type { LiveConversation } from '../live/live-conversation.ts'
import { assertMayRead } from './check-right.ts'

/** Conversations that were created or forked with a `requestKey`, while they are open. */
export interface MadeOnce {
  /**
   * Makes a conversation, or returns the one that the same person made with the same key. Rejects with
   * `conversationNotFound` for one that this person may not read any more.
   */
  make(
    requestKey: RequestKey | undefined,
    guest: Guest,
    make: (id: ConversationId) => Promise<LiveConversation>,
  ): Promise<LiveConversation>
  forget(conversationId: ConversationId): void
}

export function createMadeOnce(newId: () => ConversationId): MadeOnce {
  const made = new Map<string, { readonly id: ConversationId; readonly open: Promise<LiveConversation> }>()
  return {
    async make(requestKey, guest, make) {
      const key = requestKey === undefined ? null : JSON.stringify([guest.rights.person, requestKey])
      const known = key === null ? undefined : made.get(key)
      if (known !== undefined) return assertMayRead(guest, await known.open)
      const id = newId()
      const open = make(id)
      if (key !== null) {
        made.set(key, { id, open })
        open.catch(() => made.delete(key))
      }
      return open
    },
    forget(conversationId) {
      for (const [key, { id }] of made) if (id === conversationId) made.delete(key)
    },
  }
}
