import type { Files } from '../log/files.ts'
import { WriterLock } from '../log/lock.ts'
import { thisProcess } from '../log/owner.ts'
import type { SessionPaths } from '../log/session-paths.ts'
import { refusal } from './refusal.ts'
import { unlessStorageFails } from './storage-patience.ts'

/** The writer locks this process holds, one per conversation it may write. */
export interface WriterLocks {
  /** Throws `liveElsewhere` with the holder's pid where that is known. */
  take(conversationId: string, paths: SessionPaths): void
  /** Harmless when it is not held. */
  release(conversationId: string): void
}

export function createWriterLocks(files: Files, program: string): WriterLocks {
  const held = new Map<string, { readonly lock: WriterLock; readonly paths: SessionPaths }>()
  return {
    take(conversationId, paths) {
      const lock = WriterLock.tryAcquire(files, paths, thisProcess(files, { program, socket: null }))
      if (!(lock instanceof WriterLock)) throw liveElsewhere(conversationId, lock.heldBy?.pid)
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
  }
}

function liveElsewhere(conversationId: string, pid: number | undefined) {
  const where = pid === undefined ? 'another process' : `process ${pid}`
  return refusal(
    'liveElsewhere',
    `Conversation ${conversationId} is open in ${where}. View it read-only, or fork it.`,
    { conversationId, socket: null, ...(pid === undefined ? {} : { pid }) },
  )
}
