import type { ChangedPath, ItemId } from '@parley/protocol'
import type { Conversation } from '../conversation/conversation.ts'
import type { StorageRetry } from '../conversation/storage-retry.ts'
import type { FileHistory } from './file-history.ts'

/** Maximum of files in the event itself; a longer list is a side file. */
const maxInEvent = 100

interface Recording {
  readonly record: {
    readonly conversation: Conversation
    readonly storage: Pick<StorageRetry, 'persist'>
  }
  readonly act: { readonly history: Pick<FileHistory, 'names'> }
  /** Ends the wait for a disk that takes nothing. */
  readonly signal?: AbortSignal
}

/** Returns a function that records the files which changed while a call ran. */
export function recordChanges(
  { record: { conversation, storage }, act, signal }: Recording,
  itemId: ItemId,
): (changes: readonly ChangedPath[]) => Promise<void> {
  return (changes) =>
    storage.persist(async () => {
      const count = changes.length
      const files = changes.map(act.history.names.written)
      const where =
        count <= maxInEvent ? { files } : { files: [], list: await conversation.sideFiles.put(JSON.stringify(files)) }
      conversation.record({ type: 'files.changed', itemId, count, ...where })
    }, signal)
}
