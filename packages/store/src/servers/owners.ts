import type { JetStreamClient } from '@nats-io/jetstream'
import type { KV } from '@nats-io/kv'
import { headers } from '@nats-io/transport-node'
import type { ConversationId } from '@parley/protocol'
import { ownerSubject } from '../connection/layout.ts'
import { publishNext } from '../connection/publish-next.ts'
import { HeldElsewhereError } from '../port/shared-store.ts'
import type { Nodes } from './nodes.ts'

/** Right of this server to write a conversation, as far as no other has taken it since. */
export interface Claim {
  /** Revision of the owner's entry, which grows with each claim. */
  readonly epoch: number
  release(): Promise<void>
}

export interface OwnerPorts {
  readonly owners: KV
  readonly nodes: Nodes
  readonly streams: JetStreamClient
}

/** Takes the right to write a conversation. Rejects with `HeldElsewhereError` while a living server has it. */
export async function claimConversation(ports: OwnerPorts, conversationId: ConversationId): Promise<Claim> {
  const { owners, nodes, streams } = ports
  const subject = ownerSubject(conversationId)
  for (;;) {
    const entry = await owners.get(conversationId)
    const node = entry?.operation === 'PUT' ? entry.string() : null
    if (node !== null && node !== nodes.own) {
      const holder = await nodes.find(node)
      if (holder !== null) throw new HeldElsewhereError(conversationId, holder)
    }
    const after = entry?.revision ?? 0
    const epoch = await publishNext(streams, { subject, bytes: nodes.own, headers: headers(), after })
    // Another server came first: it is looked at again.
    if (epoch !== null) return { epoch, release: () => release(streams, subject, epoch) }
  }
}

/** Removes the entry unless another server has taken the conversation since. */
async function release(streams: JetStreamClient, subject: string, epoch: number): Promise<void> {
  const marked = headers()
  // As the library marks what was deleted.
  marked.set('KV-Operation', 'DEL')
  await publishNext(streams, { subject, bytes: '', headers: marked, after: epoch })
}
