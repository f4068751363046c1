import type { BackgroundProcesses } from '@parley/host'
import { StorageError } from '@parley/journal'
import type { Conversation } from './conversation.ts'
import type { OpenConversation } from './open-conversation.ts'

interface Closing extends Pick<OpenConversation, 'driver' | 'shell' | 'limits' | 'streams'> {
  readonly conversation: Conversation
  readonly background: BackgroundProcesses
  /** Gives back what was taken for it. */
  readonly leave: () => Promise<unknown>
  /** The last thing. */
  readonly dispose: () => void
}

/** Stops what runs in it and gives back what it had. A turn that waits for a person is there when someone comes back. */
export async function closeConversation(closing: Closing): Promise<void> {
  const { conversation, driver, shell, background, limits, streams, leave, dispose } = closing
  try {
    await Promise.all([driver.shutDown(), shell.shutDown(), background.stopAll('shutdown')])
    parkQuietly(conversation)
  } finally {
    await Promise.all([leave(), limits[Symbol.asyncDispose]()])
    // Only then: what waits for the disk is delivered before its stream ends.
    await conversation[Symbol.asyncDispose]().finally(() => {
      for (const end of streams) end()
      dispose()
    })
  }
}

function parkQuietly(conversation: Conversation): void {
  const { turn } = conversation.state.core
  if (turn === null || turn.parked || conversation.readOnly) return
  try {
    conversation.record({ type: 'turn.parked', turnId: turn.id, reason: 'parley was closed while an approval waited.' })
  } catch (error) {
    // The next opening finds the turn open and parks it itself.
    if (!(error instanceof StorageError)) throw error
  }
}
