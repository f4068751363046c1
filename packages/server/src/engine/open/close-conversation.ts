import { rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { BackgroundProcesses } from '@parley/host'
import { type Files, type SessionPaths, StorageError, tornPath } from '@parley/journal'
import type { Conversation } from '../conversation/conversation.ts'
import type { ConversationLimits } from '../limits/conversation-limits.ts'
import type { LiveConversation } from './live-conversation.ts'

interface Closing extends Pick<LiveConversation, 'conversation' | 'turns' | 'shell' | 'clients'> {
  readonly background: BackgroundProcesses
  readonly limits: ConversationLimits
  /** Releases the environment and the tool servers. */
  readonly leave: () => Promise<unknown>
  /** Called last. */
  readonly dispose: () => void
}

/** Stops running work and releases everything. A turn that waits for a person is parked and continues when resumed. */
export async function closeConversation(closing: Closing): Promise<void> {
  const { conversation, turns, shell, background, limits, clients, leave, dispose } = closing
  try {
    await Promise.all([turns.shutDown(), shell.shutDown(), background.stopAll('shutdown')])
    parkQuietly(conversation)
  } finally {
    await Promise.all([leave(), limits[Symbol.asyncDispose]()])
    // Streams end last: events that wait for the disk are delivered first.
    await conversation[Symbol.asyncDispose]().finally(() => {
      for (const end of clients.streams) end()
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
    // The next opening parks an open turn itself.
    if (!(error instanceof StorageError)) throw error
  }
}

/** Removes everything a conversation has on disk except its lock, which the caller holds and releases. */
export function removeConversation(files: Files, paths: SessionPaths): void {
  const torn = basename(tornPath(paths.log, 0)).slice(0, -1)
  const names = files.look(paths.folder) === null ? [] : files.list(paths.folder)
  const pieces = names.filter((name) => name.startsWith(torn)).map((name) => join(paths.folder, name))
  for (const path of [paths.log, paths.sideFiles, ...pieces]) rmSync(path, { recursive: true, force: true })
}
