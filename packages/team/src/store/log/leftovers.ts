import type { JetStreamManager } from '@nats-io/jetstream'
import type { ConversationId } from '@parley/protocol'
import { askAgain } from '../connection/ask-again.ts'
import { chunksOf, metaSubjects, objectStream, placeOf, shardCount, streamName } from '../connection/layout.ts'

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
