import type { ConversationId, RequestKey } from '@parley/protocol'
import type { Guest } from '../limits/may-loosen.ts'
import { assertMayRead, type OpenedConversation } from './check-right.ts'

/** Conversations that were created or forked with a `requestKey`, while they are open. */
export interface MadeOnce<Opened extends OpenedConversation> {
  /**
   * Makes a conversation, or returns the one that the same person made with the same key. Rejects with
   * `conversationNotFound` for one that this person may not read any more.
   */
  make(requestKey: RequestKey | undefined, guest: Guest, make: (id: ConversationId) => Promise<Opened>): Promise<Opened>
  forget(conversationId: ConversationId): void
}

export function createMadeOnce<Opened extends OpenedConversation>(newId: () => ConversationId): MadeOnce<Opened> {
  const made = new Map<string, { readonly id: ConversationId; readonly open: Promise<Opened> }>()
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
