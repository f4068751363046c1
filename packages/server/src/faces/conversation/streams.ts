import type { Cursor, ResultOf } from '@parley/protocol'
import type { CallContext } from '@parley/rpc'
import type { Conversation } from '../../engine/conversation.ts'
import type { OpenConversation } from '../../engine/open-conversation.ts'
import { createEgress, type Egress, type EgressPeer } from './egress.ts'
import type { Session } from './session.ts'

/** The conversations that one client streams. */
export interface Streams {
  open(
    conversation: OpenConversation,
    after: Cursor | null,
    context: CallContext,
  ): Promise<ResultOf<'conversation/stream'>>
  close(conversationId: string): void
  closeAll(): void
}

type OnFault = (fault: unknown, conversationId: string) => void

export function createStreams(peer: () => EgressPeer, session: Session, onFault: OnFault): Streams {
  const active = new Map<string, { egress: Egress; leave: () => void }>()

  function close(conversationId: string): void {
    const stream = active.get(conversationId)
    active.delete(conversationId)
    stream?.egress.stop()
    stream?.leave()
  }

  return {
    async open(open, after, context) {
      const { conversation, watchers } = open
      await published(conversation)
      close(conversation.id)
      const known = after !== null && conversation.holds(after)
      const egress = createEgress(peer(), conversation, (fault) => onFault(fault, conversation.id))
      const { clientId } = session.actor
      if (session.canApprove) watchers.add(clientId)
      active.set(conversation.id, { egress, leave: () => watchers.delete(clientId) })
      const cursor = known ? after : conversation.cursor
      // The answer leaves first; what is recorded until then is delivered from the cursor on.
      context.afterReply(() => egress.start(cursor.seq))
      if (known) return { cursor, events: [] }
      return { cursor, state: conversation.state, ...(after === null ? {} : { reset: true as const }) }
    },
    close,
    closeAll() {
      for (const conversationId of [...active.keys()]) close(conversationId)
    },
  }
}

/** The state may be shown when nothing in it waits for the disk any more. */
async function published(conversation: Conversation): Promise<void> {
  while (conversation.feed.published < conversation.state.core.seq) await conversation.synced()
}
