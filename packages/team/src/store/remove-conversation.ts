import type { JetStreamManager } from '@nats-io/jetstream'
import { HeldElsewhereError } from '@parley/engine/shared-store'
import { UnfinishedDeletionError } from '@parley/journal'
import type { ConversationId } from '@parley/protocol'
import { askAgain } from './connection/ask-again.ts'
import type { Connected } from './connection/connect-store.ts'
import { chunksOf, metaSubjects, objectStream, placeOf, shardCount, streamName } from './connection/layout.ts'
import type { Prepared } from './connection/prepare-store.ts'
import { storeError } from './connection/store-trouble.ts'
import { whileElecting } from './connection/while-electing.ts'
import type { Lists } from './servers/lists.ts'
import type { Nodes } from './servers/nodes.ts'
import { claimConversation } from './servers/owners.ts'

interface RemovePorts {
  readonly connected: Pick<Connected, 'name' | 'streams' | 'admin'>
  readonly prepared: Pick<Prepared, 'owners' | 'rows'>
  readonly nodes: Nodes
  readonly lists: Pick<Lists, 'isListed' | 'deleted'>
}

/** Removes conversations, which are deleted for lists and for copies before anything of them goes. */
export interface Removal {
  /**
   * Removes a conversation. Rejects with `HeldElsewhereError` while another living server has it, and with
   * `UnfinishedDeletionError` once it is deleted; else it is there as before.
   */
  remove(conversationId: ConversationId): Promise<void>
  /** Removes the rest of conversations after an interrupted deletion, unless a living server has them. */
  finish(): Promise<void>
}

export function removesFrom({ connected, prepared: { owners, rows }, nodes, lists }: RemovePorts): Removal {
  const { admin, name, streams } = connected
  const removing = new Set<ConversationId>()

  /**
   * Runs while no other server can write a conversation. Nothing is read, so that a conversation with lost parts can be
   * removed, too.
   */
  async function whileClaimed(conversationId: ConversationId, run: () => Promise<void>): Promise<void> {
    const ports = { owners, nodes, streams, onSilent: () => undefined }
    const claim = await whileElecting(
      () => claimConversation(ports, conversationId),
      () => nodes.awayMs,
    )
    try {
      await run()
    } finally {
      await claim.release()
    }
  }

  async function finishOne(conversationId: ConversationId, empty: () => Promise<void>): Promise<void> {
    // It may be on its way back by a copy.
    if (!(await lists.isListed(conversationId))) await empty()
  }

  async function removeClaimed(conversationId: ConversationId): Promise<void> {
    const left = await leftovers(admin)
    // Other servers remove their copies from here on.
    await rows.delete(conversationId)
    await left.remove(conversationId).catch((error: unknown) => {
      throw new UnfinishedDeletionError(storeError('delete from', name, error))
    })
  }

  return {
    async remove(conversationId) {
      removing.add(conversationId)
      try {
        await whileClaimed(conversationId, () => removeClaimed(conversationId))
      } finally {
        removing.delete(conversationId)
      }
    },
    async finish() {
      const deleted = await lists.deleted()
      if (deleted.length === 0) return
      const left = await leftovers(admin)
      for (const conversationId of deleted) {
        if (!left.has(conversationId) || removing.has(conversationId)) continue
        const empty = () => left.remove(conversationId)
        await whileClaimed(conversationId, () => finishOne(conversationId, empty)).catch((error: unknown) => {
          if (!(error instanceof HeldElsewhereError)) throw error
        })
      }
    },
  }
}

/** Conversations with messages or objects in the streams of a store: an object may have no message that names it. */
interface Leftovers {
  has(conversationId: ConversationId): boolean
  /** Removes the log of one, then its objects. */
  remove(conversationId: ConversationId): Promise<void>
}

export async function leftovers(admin: JetStreamManager): Promise<Leftovers> {
  const shards = Array.from({ length: shardCount }, (_, shard) => streamName(shard))
  const logs = (await Promise.all(shards.map((stream) => subjectsOf(admin, stream, '>')))).flat()
  const withLog = new Set(logs.map((subject) => subject.slice(subject.lastIndexOf('.') + 1)))
  const objects = Map.groupBy(await subjectsOf(admin, objectStream, `${metaSubjects}>`), conversationOf)
  return {
    has: (conversationId) => withLog.has(conversationId) || objects.has(conversationId),
    async remove(conversationId) {
      const { stream, subject } = placeOf(conversationId)
      await admin.streams.purge(stream, { filter: subject })
      for (const meta of objects.get(conversationId) ?? []) await removeObject(admin, meta)
    },
  }
}

/** Resolves to the subjects of a stream that have messages. */
async function subjectsOf({ streams }: JetStreamManager, stream: string, filter: string): Promise<readonly string[]> {
  const { state } = await askAgain(() => streams.info(stream, { subjects_filter: filter }))
  return Object.keys(state.subjects ?? {})
}

/** Returns the conversation of an object by the subject of its facts, which ends with its name in base64. */
function conversationOf(meta: string): ConversationId {
  const name = Buffer.from(meta.slice(metaSubjects.length), 'base64url').toString()
  return name.slice(0, name.indexOf('/'))
}

/** Removes an object and the facts of it, where the library would leave a mark for each. */
async function removeObject({ streams }: JetStreamManager, meta: string): Promise<void> {
  const found = await streams.getMessage(objectStream, { last_by_subj: meta })
  const nuid = found?.json<{ readonly nuid?: string }>().nuid
  if (nuid !== undefined) await streams.purge(objectStream, { filter: chunksOf(nuid).subject })
  await streams.purge(objectStream, { filter: meta })
}
