import type { BackgroundProcesses } from '@parley/host'
import { StorageError } from '@parley/journal'
import type { Conversation } from '../conversation/conversation.ts'
import type { FileHistory } from '../history/file-history.ts'
import type { WatchingHooks } from '../hooks/conversation-hooks.ts'
import type { ConversationLimits } from '../limits/conversation-limits.ts'
import type { LiveConversation } from '../live/live-conversation.ts'

interface Closing extends Pick<LiveConversation, 'forwards' | 'conversation' | 'turns' | 'shell' | 'clients'> {
  readonly background: BackgroundProcesses
  readonly limits: ConversationLimits
  readonly history: FileHistory
  readonly watching: WatchingHooks
  /** Releases the environment and the tool servers. */
  readonly leave: () => Promise<unknown>
  /** Called last. */
  readonly dispose: () => void
}

/**
 * Stops running work and releases everything. A turn that waits for a person is parked and continues when resumed; with
 * `handOver` one that runs stays open, and so does what runs where the next server finds it. Rejects with `StorageError` where accepted work could not be saved.
 */
export async function closeConversation(closing: Closing, reason: 'shutdown' | 'handOver'): Promise<void> {
  const { conversation, turns, shell, background, limits, history, watching, clients, leave, dispose } = closing
  try {
    closing.forwards.close()
    await Promise.all([turns.shutDown(reason), shell.shutDown(reason), background.stopAll(reason)])
    await history[Symbol.asyncDispose]()
    if (reason === 'shutdown' || isWaiting(conversation)) parkQuietly(conversation)
    await watching.close()
  } finally {
    await Promise.all([leave(), limits[Symbol.asyncDispose]()])
    // Streams end last: events that wait for the disk are delivered first.
    await conversation[Symbol.asyncDispose]().finally(() => {
      clients.endDeliveries()
      dispose()
    })
  }
  const { unsaved } = conversation.storageRetry
  if (unsaved !== null) throw unsaved
}

function isWaiting({ state }: Conversation): boolean {
  return Object.keys(state.core.approvals).length > 0
}

function parkQuietly(conversation: Conversation): void {
  const { turn } = conversation.state.core
  if (turn === null || turn.parked || conversation.readOnly) return
  try {
    conversation.record({ type: 'turn.parked', turnId: turn.id, reason: 'parley was closed while an approval waited.' })
  } catch (error) {
    // The next opening parks an open turn itself.
    if (!(error instanceof StorageError)) throw error
  }
}
