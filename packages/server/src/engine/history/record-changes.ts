import type { ChangedPath, ItemId } from '@parley/protocol'
import type { Conversation } from '../conversation/conversation.ts'
import type { StoragePatience } from '../conversation/storage-patience.ts'

/** Files that stand in the event itself; more are a side file. */
const maxInEvent = 100

/** Returns a function that records what changed while a call ran. */
export function recordChanges(
  conversation: Conversation,
  patience: Pick<StoragePatience, 'persist'>,
  itemId: ItemId,
): (changes: readonly ChangedPath[]) => Promise<void> {
  return async (changes) => {
    const count = changes.length
    const where =
      count <= maxInEvent
        ? { files: [...changes] }
        : { files: [], list: await conversation.sideFiles.put(JSON.stringify(changes)) }
    await patience.persist(() => conversation.record({ type: 'files.changed', itemId, count, ...where }))
  }
}
