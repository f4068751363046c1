import type { ChangedPath, ItemId } from '@parley/protocol'
import type { Conversation } from '../conversation/conversation.ts'
import type { StoragePatience } from '../conversation/storage-patience.ts'

/** Files that stand in the event itself; more are a side file. */
const maxInEvent = 100

interface Recording {
  readonly conversation: Conversation
  readonly patience: Pick<StoragePatience, 'persist'>
  /** Ends the wait for a disk that takes nothing. */
  readonly signal?: AbortSignal
}

/** Returns a function that records what changed while a call ran. */
export function recordChanges(
  { conversation, patience, signal }: Recording,
  itemId: ItemId,
): (changes: readonly ChangedPath[]) => Promise<void> {
  return (changes) =>
    patience.persist(async () => {
      const count = changes.length
      const where =
        count <= maxInEvent
          ? { files: [...changes] }
          : { files: [], list: await conversation.sideFiles.put(JSON.stringify(changes)) }
      conversation.record({ type: 'files.changed', itemId, count, ...where })
    }, signal)
}
