import type { KV } from '@nats-io/kv'
import type { ConversationId } from '@parley/protocol'
import { isOutdated } from '../connection/store-trouble.ts'
import { HeldElsewhereError } from '../port/shared-store.ts'
import type { Nodes } from './nodes.ts'

/** Right of this server to write a conversation, as far as no other has taken it since. */
export interface Claim {
  /** Revision of the owner's entry, which grows with each claim. */
  readonly epoch: number
  /** Lapses of this server's lease when it was made; null where it may have ended meanwhile. */
  readonly lapses: number | null
  /** Asks the majority of the store. Resolves to false where another server has taken the conversation. */
  holds(): Promise<boolean>
  release(): Promise<void>
}

/** Takes the right to write a conversation. Rejects with `HeldElsewhereError` while a living server has it. */
export async function claimConversation(owners: KV, nodes: Nodes, conversationId: ConversationId): Promise<Claim> {
  for (;;) {
    const entry = await owners.get(conversationId)
    const node = entry?.operation === 'PUT' ? entry.string() : null
    if (node !== null && node !== nodes.own) {
      const holder = await nodes.find(node)
      if (holder !== null) throw new HeldElsewhereError(conversationId, holder)
    }
    try {
      const { lapses } = nodes
      const epoch =
        entry === null
          ? await owners.create(conversationId, nodes.own)
          : await owners.update(conversationId, nodes.own, entry.revision)
      return claimAt(epoch, owners, { node: nodes.own, lapses, conversationId })
    } catch (error) {
      // Another server came first: it is looked at again.
      if (!isOutdated(error)) throw error
    }
  }
}

interface Claimed {
  readonly node: string
  readonly lapses: number | null
  readonly conversationId: ConversationId
}

function claimAt(epoch: number, owners: KV, { node, lapses, conversationId }: Claimed): Claim {
  let revision = epoch
  return {
    epoch,
    lapses,
    async holds() {
      for (;;) {
        try {
          // A write, since a read may be answered by a server of the store that does not know what the others have agreed on.
          revision = await owners.update(conversationId, node, revision)
          return true
        } catch (error) {
          if (!isOutdated(error)) throw error
          const entry = await owners.get(conversationId)
          if (entry?.operation !== 'PUT' || entry.string() !== node) return false
          // An earlier try was stored, and its answer lost.
          revision = entry.revision
        }
      }
    },
    release: () => owners.delete(conversationId, { previousSeq: revision }),
  }
}
