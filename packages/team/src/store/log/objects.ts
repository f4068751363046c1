import { createHash } from 'node:crypto'
import type { JetStreamManager } from '@nats-io/jetstream'
import type { ObjectInfo, ObjectStore } from '@nats-io/obj'
import type { ConversationId } from '@parley/protocol'
import { askAgain } from '../connection/ask-again.ts'
import { chunksOf } from '../connection/layout.ts'
import { walkSubject } from './walk-subject.ts'

/** Content of one conversation that is too large for a message, by names that tell their content. */
export interface Objects {
  /** Stores the bytes that `read` returns, unless the object exists or there are no bytes. */
  put(name: string, read: () => Uint8Array | null): Promise<void>
  /** Resolves to null for a missing object. */
  get(name: string): Promise<Uint8Array | null>
}

export function objectsOf(
  store: ObjectStore,
  admin: Pick<JetStreamManager, 'streams'>,
  conversationId: ConversationId,
): Objects {
  const known = new Set<string>()
  const nameOf = (name: string) => `${conversationId}/${name}`
  return {
    async put(name, read) {
      const content = known.has(name) ? null : read()
      if (content === null) return
      const there = await store.info(nameOf(name))
      const isThere = there !== null && !there.deleted && there.size === content.length
      if (!isThere) await store.putBlob({ name: nameOf(name) }, content)
      known.add(name)
    },
    async get(name) {
      const info = await askAgain(() => store.info(nameOf(name)))
      return info === null || info.deleted ? null : readChunks(admin, info)
    },
  }
}

/**
 * Resolves to the content of an object; to null where its chunks are not all there. The library waits for chunks without
 * end, by a consumer that may lie on a dead server.
 */
async function readChunks(admin: Pick<JetStreamManager, 'streams'>, info: ObjectInfo): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  const all = { after: 0, last: Number.MAX_SAFE_INTEGER }
  if (info.size > 0)
    for await (const { data } of walkSubject(admin, chunksOf(info.nuid), all)) {
      chunks.push(data)
      sizeBytes += data.length
      if (sizeBytes >= info.size) break
    }
  const content = Buffer.concat(chunks)
  const digest = `SHA-256=${createHash('sha256').update(content).digest('base64url')}`
  return digest === info.digest.replace(/=+$/, '') ? content : null
}
