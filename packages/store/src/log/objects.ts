import type { ObjectStore } from '@nats-io/obj'
import type { ConversationId } from '@parley/protocol'

/** Content of one conversation that is too large for a message, by names that tell their content. */
export interface Objects {
  /** Stores content unless it is there. */
  put(name: string, content: Uint8Array): Promise<void>
  /** Resolves to null where there is none. */
  get(name: string): Promise<Uint8Array | null>
  remove(name: string): Promise<void>
}

export function objectsOf(store: ObjectStore, conversationId: ConversationId): Objects {
  const known = new Set<string>()
  const nameOf = (name: string) => `${conversationId}/${name}`
  return {
    async put(name, content) {
      if (known.has(name)) return
      const there = await store.info(nameOf(name))
      const isThere = there !== null && !there.deleted && there.size === content.length
      if (!isThere) await store.putBlob({ name: nameOf(name) }, content)
      known.add(name)
    },
    get: (name) => store.getBlob(nameOf(name)),
    async remove(name) {
      await store.delete(nameOf(name))
    },
  }
}
