import type { ObjectStore } from '@nats-io/obj'
import type { ConversationId } from '@parley/protocol'

/** Content of one conversation that is too large for a message, by names that tell their content. */
export interface Objects {
  /** Stores what is read unless it is there; nothing where there is nothing to read. */
  put(name: string, read: () => Uint8Array | null): Promise<void>
  /** Resolves to null where there is none. */
  get(name: string): Promise<Uint8Array | null>
  remove(name: string): Promise<void>
}

export function objectsOf(store: ObjectStore, conversationId: ConversationId): Objects {
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
    get: (name) => store.getBlob(nameOf(name)),
    async remove(name) {
      await store.delete(nameOf(name))
    },
  }
}
