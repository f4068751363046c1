import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { type Files, makeFolders, readFile, removeQuietly, replaceSynced, StorageError } from '@parley/journal'
import type { Fence } from '@parley/protocol/exec'
import { epochNotKept, epochNotKnown } from './wire/requests.ts'

/**
 * Epochs on disk, in a file for each conversation, and the epochs that this process has raised, should a file be
 * removed.
 */
interface KeptEpochs {
  /** Returns the epoch on disk, 0 for a missing file. Throws `epochNotKnown` where it cannot be read. */
  stored(fence: Fence): number
  /** Returns the epoch that this process has raised last; 0 without one. */
  raisedHere(conversation: string): number
  /** Writes an epoch. Rejects with `epochNotKept`. */
  keep(fence: Fence): Promise<void>
}

/** Number of conversations with a kept epoch: the ones raised last. */
const keptConversations = 10_000

export function keptEpochs(files: Files, folder: string): KeptEpochs {
  /** Highest epochs of this process by their files. The one that was raised last is the last. */
  const known = new Map<string, number>()
  const pathOf = (conversation: string) => join(folder, createHash('sha256').update(conversation).digest('hex'))

  function stored({ conversation, epoch }: Fence): number {
    const path = pathOf(conversation)
    const text = textOf(path)
    if (!/^\d{1,16}$/.test(text)) throw epochNotKnown({ conversation, epoch }, path)
    return Number(text)
  }

  /** Returns the content of a file; 0 for a missing one, and an empty text for one that cannot be read. */
  function textOf(path: string): string {
    try {
      return readFile(files, path)?.toString() ?? '0'
    } catch (error) {
      if (error instanceof StorageError) return ''
      throw error
    }
  }

  async function keep({ conversation, epoch }: Fence): Promise<void> {
    try {
      makeFolders(files, folder)
      await replaceSynced(files, pathOf(conversation), String(epoch))
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      throw epochNotKept({ conversation, epoch }, error.message)
    }
    remember(pathOf(conversation), epoch)
    dropOldest()
  }

  function remember(path: string, epoch: number): void {
    known.delete(path)
    known.set(path, epoch)
    if (known.size > keptConversations) for (const oldest of known.keys().take(1)) known.delete(oldest)
  }

  /**
   * Removes the epochs that were raised longest ago, by their times, and never one of this process: a clock may have
   * been set back.
   */
  function dropOldest(): void {
    const names = files.list(folder)
    if (names.length <= keptConversations) return
    const others = names.filter((name) => !known.has(join(folder, name)))
    const byAge = others.map((name) => ({ name, atMs: files.look(join(folder, name))?.modifiedAtMs ?? 0 }))
    byAge.sort((a, b) => a.atMs - b.atMs)
    // A tenth at a time, so that the folder is seldom looked through.
    for (const { name } of byAge.slice(0, names.length - 0.9 * keptConversations))
      removeQuietly(files, join(folder, name))
  }

  return { stored, raisedHere: (conversation) => known.get(pathOf(conversation)) ?? 0, keep }
}
