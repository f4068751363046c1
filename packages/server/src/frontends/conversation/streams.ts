import { type Conversation, type LiveConversation, shownState } from '@parley/engine'
import {
  type ConversationId,
  type ConversationRight,
  type Cursor,
  mayUseMachine,
  type ResultOf,
} from '@parley/protocol'
import type { CallContext, Peer } from '@parley/rpc'
import { createEgress, type Egress, type EgressPeer } from './egress.ts'
import type { Session } from './session.ts'

/** Conversations that one client streams. */
export interface Streams {
  open(
    conversation: LiveConversation,
    after: Cursor | null,
    context: CallContext,
  ): Promise<ResultOf<'conversation/stream'>>
  readonly count: number
  /** Ends delivery of one conversation and removes the client from it. */
  leave(conversationId: ConversationId): void
  /** Ends all deliveries. Returns the ids of the conversations that the client took part in. */
  leaveAll(): ConversationId[]
}

interface Stream {
  readonly egress: Egress
  end(): void
}

interface StreamPorts {
  readonly peer: () => EgressPeer & Pick<Peer, 'notify'>
  readonly session: Session
  /** Returns all conversations that are open in this process. */
  readonly conversations: () => readonly LiveConversation[]
  readonly onFault: (fault: unknown, conversationId: ConversationId) => void
  /** Called when the client may not read a conversation any more that it streams. */
  readonly onLost: (conversationId: ConversationId) => void
}

export function createStreams({ peer, session, conversations, onFault, onLost }: StreamPorts): Streams {
  const active = new Map<ConversationId, Stream>()

  function tellClients(conversationId: ConversationId, clients: number): void {
    peer().notify('conversation/clientsChanged', { conversationId, clients })
  }

  function begin({ conversation, clients }: LiveConversation): Stream {
    const { id } = conversation
    const { rights } = session
    const may = (right: ConversationRight) => rights.permits(right, conversation.state.core.meta)
    const egress = createEgress(peer(), conversation, {
      mayRead: () => conversation.readOnly || may('read'),
      onLost: () => onLost(id),
      onFault(fault) {
        end()
        onFault(fault, id)
      },
    })
    const end = () => {
      egress.stop()
      unfollow()
      if (active.get(id) === stream) active.delete(id)
    }
    const stream = { egress, end }
    active.get(id)?.end()
    clients.join(session)
    const { actor, access, canApprove, canRaiseLimits } = session
    const counted = (followers: number) => tellClients(id, followers)
    const unfollow = clients.follow({
      clientId: actor.clientId,
      access,
      // A role may change meanwhile.
      get canApprove() {
        return canApprove && may('answer')
      },
      get canRaiseLimits() {
        return canRaiseLimits && may('edit')
      },
      counted,
      end,
    })
    active.set(id, stream)
    return stream
  }

  return {
    async open(open, after, context) {
      const { conversation } = open
      // Before the first await: a conversation with a stream is not closed meanwhile.
      const { egress, end } = begin(open)
      const now = { state: conversation.state, cursor: conversation.cursor }
      try {
        await published(conversation, now.cursor.seq)
      } catch (error) {
        end()
        throw error
      }
      const known = after !== null && conversation.holds(after)
      const cursor = known ? after : now.cursor
      // The reply leaves first; events recorded until then are delivered from the cursor on.
      context.afterReply(() => {
        egress.start(cursor.seq)
        tellClients(conversation.id, open.clients.followerCount)
        // MCP servers are started only for clients that may call their tools.
        if (mayEdit(open, session)) open.mcp.begin()
      })
      if (known) return { cursor, events: [] }
      return { cursor, state: shownState(now.state), ...(after === null ? {} : { reset: true as const }) }
    },
    get count() {
      return active.size
    },
    leave(conversationId) {
      active.get(conversationId)?.end()
      const left = conversations().find(({ conversation }) => conversation.id === conversationId)
      left?.clients.leave(session)
    },
    leaveAll() {
      for (const { end } of [...active.values()]) end()
      const joined = conversations().filter(({ clients }) => clients.leave(session))
      return joined.map(({ conversation }) => conversation.id)
    },
  }
}

/** Tells if a client may have the model called, and with it the tools of servers, on the machine of the conversation. */
function mayEdit({ conversation, mayWork }: LiveConversation, { access, rights }: Session): boolean {
  if (access !== 'full' || conversation.readOnly || !mayUseMachine(rights, mayWork)) return false
  return rights.permits('edit', conversation.state.core.meta)
}

/** Resolves when every event up to a seq may be shown. Throws when the log no longer holds them. */
async function published(conversation: Conversation, seq: number): Promise<void> {
  while (conversation.feed.published < seq) await conversation.synced()
  conversation.assertStored()
}
