import type { KV } from '@nats-io/kv'
import type { ConversationId } from '@parley/protocol'
import { isOutdated } from '../connection/store-trouble.ts'
import { HeldElsewhereError } from '../port/shared-store.ts'
import type { Nodes } from './nodes.ts'

/** Right of this server to write a conversation, as far as no other has taken it since. */
export interface Claim {
  /** Revision of the owner's entry, which grows with each claim. */
  readonly epoch: number
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
      const epoch =
        entry === null
          ? await owners.create(conversationId, nodes.own)
          : await owners.update(conversationId, nodes.own, entry.revision)
      return { epoch, release: () => owners.delete(conversationId, { previousSeq: epoch }) }
    } catch (error) {
      // Another server came first: it is looked at again.
      if (!isOutdated(error)) throw error
    }
  }
}
