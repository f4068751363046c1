import { rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { BackgroundProcesses } from '@parley/host'
import { type Files, type SessionPaths, StorageError, tornPath } from '@parley/journal'
import type { Conversation } from '../conversation/conversation.ts'
import type { OpenConversation } from './live-conversation.ts'

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

/** Removes all that a conversation has on disk; the caller holds its lock, whose file goes when that is released. */
export function removeConversation(files: Files, paths: SessionPaths): void {
  const torn = basename(tornPath(paths.log, 0)).slice(0, -1)
  const names = files.look(paths.folder) === null ? [] : files.list(paths.folder)
  const pieces = names.filter((name) => name.startsWith(torn)).map((name) => join(paths.folder, name))
  for (const path of [paths.log, paths.sideFiles, ...pieces]) rmSync(path, { recursive: true, force: true })
}
