import { type Files, type SessionPaths, thisProcess, WriterLock } from '@parley/journal'
import { liveElsewhere } from './live-elsewhere.ts'
import { unlessStorageFails } from './storage-patience.ts'

/** The writer locks this process holds, one per conversation it may write. */
export interface WriterLocks {
  /** Rejects with `liveElsewhere`, which says who holds it and where to join it. */
  take(conversationId: string, paths: SessionPaths): Promise<void>
  /** Harmless when it is not held. */
  release(conversationId: string): void
  /** Where this process can be joined from now on; null: programNotFound. Said beside every lock. */
  announce(socket: string | null): void
}

export function createWriterLocks(files: Files, program: string): WriterLocks {
  const held = new Map<string, { readonly lock: WriterLock; readonly paths: SessionPaths }>()
  let socket: string | null = null
  return {
    async take(conversationId, paths) {
      const lock = WriterLock.tryAcquire(files, paths, thisProcess(files, { program, socket }))
      if (!(lock instanceof WriterLock)) throw await liveElsewhere(conversationId, lock.heldBy)
      held.set(conversationId, { lock, paths })
    },
    release(conversationId) {
      const taken = held.get(conversationId)
      held.delete(conversationId)
      if (taken === undefined) return
      // Without a log nobody else can ever want this lock: what a conversation without a message leaves is nothing.
      unlessStorageFails(() => {
        if (files.look(taken.paths.log) === null) files.remove(taken.paths.lock)
      })
      taken.lock[Symbol.dispose]()
    },
    announce(address) {
      socket = address
      const owner = thisProcess(files, { program, socket })
      for (const { lock } of held.values()) lock.announce(owner)
    },
  }
}
