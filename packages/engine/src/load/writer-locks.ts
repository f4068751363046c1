import { type Files, isRunning, type Owner, type SessionPaths, thisProcess, WriterLock } from '@parley/journal'
import { type ConversationId, shortIdOf } from '@parley/protocol'
import { connectSocket, type RpcError } from '@parley/rpc'
import { unlessStorageFails } from '../conversation/storage-retry.ts'
import { rejection } from '../replies/rejection.ts'

/** Writer locks of this process, one per conversation it may write. */
export interface WriterLocks {
  /** Takes a lock. Rejects with `liveElsewhere`, which names the holder and where to join it. */
  take(conversationId: ConversationId, paths: SessionPaths): Promise<void>
  /** Releases a lock; does nothing when it is not held. */
  release(conversationId: ConversationId): void
  /** Writes beside every lock where this process can be joined; null for nowhere. */
  announce(socket: string | null): void
}

export function createWriterLocks(files: Files, program: string): WriterLocks {
  const held = new Map<ConversationId, { readonly lock: WriterLock; readonly paths: SessionPaths }>()
  /** Facts of this process as an owner; the kernel is asked about them once. */
  let owner: Owner | null = null
  return {
    async take(conversationId, paths) {
      owner ??= thisProcess(files, { program, socket: null })
      const lock = WriterLock.tryAcquire(files, paths, owner)
      if (!(lock instanceof WriterLock)) throw await liveElsewhere(conversationId, lock.heldBy)
      held.set(conversationId, { lock, paths })
    },
    release(conversationId) {
      const taken = held.get(conversationId)
      held.delete(conversationId)
      if (taken === undefined) return
      // A lock without a log is removed, since there is nothing left to open.
      unlessStorageFails(() => {
        if (files.look(taken.paths.log) === null) files.remove(taken.paths.lock)
      })
      taken.lock[Symbol.dispose]()
    },
    announce(socket) {
      // The address is a hint: without it others view the conversation instead of joining it.
      unlessStorageFails(() => {
        const announced = { ...(owner ?? thisProcess(files, { program, socket })), socket }
        owner = announced
        for (const { lock } of held.values()) lock.announce(announced)
      })
    },
  }
}

const answerLimitMs = 500

/**
 * Builds the error for a conversation that another process has open. The owner file is a hint: a dead process is
 * ignored, and a socket is offered only if it accepts connections.
 */
export async function liveElsewhere(conversationId: ConversationId, owner: Owner | null): Promise<RpcError> {
  const holder = owner !== null && isRunning(owner) ? owner : null
  const socket = holder?.socket != null && (await listens(holder.socket)) ? holder.socket : null
  const where = holder === null ? 'another process' : `process ${holder.pid}`
  const join = `Join it there (parley attach ${shortIdOf(conversationId)}), view it`
  const next = `${socket === null ? 'View it' : join} read-only, or fork it.`
  return rejection('liveElsewhere', `Conversation ${conversationId} is open in ${where}. ${next}`, {
    conversationId,
    socket,
    ...(holder === null ? {} : { pid: holder.pid }),
  })
}

async function listens(socket: string): Promise<boolean> {
  const expired = Promise.withResolvers<null>()
  const timer = setTimeout(expired.resolve, answerLimitMs, null)
  const reached = connectSocket(socket).catch(() => null)
  const transport = await Promise.race([reached, expired.promise])
  clearTimeout(timer)
  void reached.then((late) => late?.close())
  return transport !== null
}
