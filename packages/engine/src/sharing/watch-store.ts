import { deleteSession, type Files, type SessionPaths, StorageError, sessionPaths } from '@parley/journal'
import type { ConversationId } from '@parley/protocol'
import type { OpenConversations } from '../live/open-conversations.ts'
import { createWriterLocks } from '../load/writer-locks.ts'
import type { LocalCopy, SharedStore } from '../ports/shared-store.ts'
import { type KeyPorts, watchMissingKeys } from './missing-keys.ts'
import { copyAt } from './sharing.ts'

/** Interval of the looks, each of which reads the list of the store, in ms. */
const beatMs = 5 * 60_000
/** Time after a look that has failed, in ms. */
const againMs = 10_000

interface CopyPorts {
  readonly files: Files
  readonly home: string
  readonly open: Pick<OpenConversations, 'all' | 'get' | 'inOrder'>
  /** Name of this program, for those who find a conversation locked by it. */
  readonly program: string
  /** Takes a conversation out of the search. */
  readonly forget: (conversationId: ConversationId) => Promise<void>
  readonly report: (fault: unknown) => void
}

/** Looks again and again at what other servers of a store do, and follows it here. */
export function watchStore(
  store: SharedStore | null,
  ports: CopyPorts & Omit<KeyPorts, 'conversations'>,
): Disposable | null {
  if (store === null) return null
  const watches = new DisposableStack()
  watches.use(watchMissingKeys(store, { ...ports, conversations: () => ports.open.all }))
  watches.use(removeDeletedCopies(store, ports))
  return watches
}

/**
 * Follows deletions at other servers, at once and again and again: removes copies here unless they are open, and from the
 * store what a server that died has left.
 */
function removeDeletedCopies(
  store: Pick<SharedStore, 'deletedCopies' | 'finishDeletions'>,
  { files, home, open, program, forget, report }: CopyPorts,
): Disposable {
  const locks = createWriterLocks(files, program)

  function copyPaths(conversationId: ConversationId): SessionPaths | null {
    const paths = sessionPaths(home, conversationId)
    return paths === null || files.look(paths.acked) === null ? null : paths
  }

  function copyOf(conversationId: ConversationId): LocalCopy | null {
    const paths = copyPaths(conversationId)
    return paths === null ? null : copyAt(paths, conversationId)
  }

  async function remove(conversationId: ConversationId): Promise<void> {
    const paths = copyPaths(conversationId)
    if (paths === null || open.get(conversationId) !== undefined) return
    const isFree = await locks.take(conversationId, paths).then(
      () => true,
      () => false,
    )
    if (!isFree) return
    await deleteSession(files, paths).finally(() => locks.release(conversationId))
    await forget(conversationId).catch(() => undefined)
  }

  /** Resolves to false where the store or the disk is in trouble, which is told of elsewhere. */
  async function look(): Promise<boolean> {
    try {
      for (const conversationId of await store.deletedCopies(copyOf))
        await open.inOrder(conversationId, () => remove(conversationId))
      await store.finishDeletions()
      return true
    } catch (error) {
      if (error instanceof StorageError) return false
      report(error)
      return true
    }
  }

  let timer: NodeJS.Timeout | undefined
  let isOver = false
  function lookAgainAndAgain(): void {
    void look().then((isDone) => {
      if (!isOver) timer = setTimeout(lookAgainAndAgain, isDone ? beatMs : againMs).unref()
    })
  }

  lookAgainAndAgain()
  return {
    [Symbol.dispose]() {
      isOver = true
      clearTimeout(timer)
    },
  }
}
