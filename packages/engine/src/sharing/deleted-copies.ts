import { deleteSession, type Files, type SessionPaths, StorageError, sessionPaths } from '@parley/journal'
import type { ConversationId } from '@parley/protocol'
import { createWriterLocks } from '../load/writer-locks.ts'
import type { LocalCopy, SharedStore, StoredLists } from '../ports/shared-store.ts'
import { copyAt } from './sharing.ts'

/** Interval of the checks, in ms; each check reads the list of the store. */
const beatMs = 5 * 60_000
/** Time after a look that has failed, in ms. */
const againMs = 10_000

interface CopyPorts {
  readonly files: Files
  readonly home: string
  /** Conversations that are open in this process. */
  readonly open: {
    get(conversationId: ConversationId): unknown
    inOrder<Result>(conversationId: ConversationId, run: () => Promise<Result>): Promise<Result>
  }
  /** Name of this program in the lock, for other processes that find the conversation locked. */
  readonly program: string
  /** Takes a conversation out of the search. */
  readonly forget: (conversationId: ConversationId) => Promise<void>
  readonly report: (fault: unknown) => void
}

/**
 * Follows deletions at other servers, at once and then at intervals. Removes copies here unless they are open, and
 * removes from the store the remains that a dead server has left.
 */
export function removeDeletedCopies(
  store: Pick<SharedStore, 'finishDeletions'> & { readonly lists: Pick<StoredLists, 'deletedCopies'> },
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

  /** Resolves to false where the store or the disk is in trouble, which is reported elsewhere. */
  async function look(): Promise<boolean> {
    try {
      for (const conversationId of await store.lists.deletedCopies(copyOf))
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
  function lookAndSchedule(): void {
    void look().then((isDone) => {
      if (!isOver) timer = setTimeout(lookAndSchedule, isDone ? beatMs : againMs).unref()
    })
  }

  lookAndSchedule()
  return {
    [Symbol.dispose]() {
      isOver = true
      clearTimeout(timer)
    },
  }
}
