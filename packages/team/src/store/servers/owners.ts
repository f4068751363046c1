import type { JetStreamClient } from '@nats-io/jetstream'
import type { KV, KvEntry } from '@nats-io/kv'
import { headers } from '@nats-io/transport-node'
import { HeldElsewhereError, type Holder } from '@parley/engine/shared-store'
import type { ConversationId } from '@parley/protocol'
import { askAgain } from '../connection/ask-again.ts'
import { ownerSubject } from '../connection/layout.ts'
import { publishNext } from '../connection/publish-next.ts'
import type { Nodes } from './nodes.ts'

/** Right of this server to write a conversation, as far as no other has taken it since. */
export interface Claim {
  /** Revision of the owner's entry, which grows with each claim. */
  readonly epoch: number
  /** Lapses of this server's lease when it was made; null where it may have ended meanwhile. */
  readonly lapses: number | null
  /** Asks the majority of the store. Resolves to false where another server has taken the conversation. */
  holds(): Promise<boolean>
  /** Gives the right up; later where the store does not answer now. */
  release(): Promise<void>
}

export interface OwnerPorts {
  readonly owners: KV
  readonly nodes: Nodes
  readonly streams: JetStreamClient
  /** Called while the end of the lease of a server is awaited that seems to have died. */
  readonly onSilent: () => void
}

/** Takes the right to write a conversation. Rejects with `HeldElsewhereError` while a living server has it. */
export async function claimConversation(ports: OwnerPorts, conversationId: ConversationId): Promise<Claim> {
  const { owners, nodes, streams, onSilent } = ports
  const subject = ownerSubject(conversationId)
  for (;;) {
    const entry = await askAgain(() => owners.get(conversationId))
    const holder = await otherIn(entry, { nodes, onSilent })
    if (holder !== null) throw new HeldElsewhereError(conversationId, holder)
    const { lapses } = nodes
    const after = entry?.revision ?? 0
    const epoch = await publishNext(streams, { subject, bytes: nodes.own, headers: headers(), after })
    // Another server came first: it is looked at again.
    if (epoch !== null) return claimAt(epoch, ports, { lapses, conversationId })
  }
}

/** Resolves to another living server that has a conversation; null where no other has it. */
export async function holderOf(
  { owners, nodes }: Pick<OwnerPorts, 'owners' | 'nodes'>,
  conversationId: ConversationId,
): Promise<Holder | null> {
  const entry = await askAgain(() => owners.get(conversationId))
  return await otherIn(entry, { nodes, onSilent: () => undefined })
}

async function otherIn(
  entry: KvEntry | null,
  { nodes, onSilent }: Pick<OwnerPorts, 'nodes' | 'onSilent'>,
): Promise<Holder | null> {
  const node = entry?.operation === 'PUT' ? entry.string() : null
  return node === null || node === nodes.own ? null : await nodes.find(node, onSilent)
}

interface Claimed {
  readonly lapses: number | null
  readonly conversationId: ConversationId
}

function claimAt(epoch: number, { owners, nodes, streams }: OwnerPorts, { lapses, conversationId }: Claimed): Claim {
  const subject = ownerSubject(conversationId)
  let revision = epoch
  return {
    epoch,
    lapses,
    async holds() {
      for (;;) {
        // A write, since a server of the store that is cut off from the others may answer a read with an old entry.
        const next = await publishNext(streams, { subject, bytes: nodes.own, headers: headers(), after: revision })
        revision = next ?? revision
        if (next !== null) return true
        const entry = await askAgain(() => owners.get(conversationId))
        if (entry?.operation !== 'PUT' || entry.string() !== nodes.own) return false
        // An earlier try was stored, and its answer lost.
        revision = entry.revision
      }
    },
    async release() {
      const give = () => release(streams, subject, revision)
      // An entry that stays would send all clients of the conversation to this server for as long as it lives.
      if (nodes.awayMs === null) await give().catch(() => nodes.later(give))
      else nodes.later(give)
    },
  }
}

/** Removes the entry unless another server has taken the conversation since. */
async function release(streams: JetStreamClient, subject: string, after: number): Promise<void> {
  const marked = headers()
  // The library's marks of a deletion.
  marked.set('KV-Operation', 'DEL')
  await publishNext(streams, { subject, bytes: '', headers: marked, after })
}
