import { join } from 'node:path'
import { createInOrder } from '@parley/host'
import { type Files, makeFolders, readFile, removeQuietly, replaceSynced, StorageError } from '@parley/journal'
import type { Fence } from '@parley/protocol/exec'
import { contentHash } from '@parley/workspace'
import { epochNotKept, epochNotKnown, epochOver } from './wire/requests.ts'

/** Highest epoch of each conversation, which outlives the exec-server. */
export interface Epochs {
  /** Resolves when the epoch is on disk and no effect of an earlier one runs. Rejects with `epochOver`. */
  enter(fence: Fence): Promise<void>
  /** Runs an effect of an epoch: at once where that is known. Throws or rejects with `epochOver`, and runs nothing then. */
  run<Result>(fence: Fence, effect: () => Result | Promise<Result>): Result | Promise<Result>
}

/** Opens the epochs in a folder, which is made with the first. It is read each time: another exec-server may share it. */
export function openEpochs(files: Files, folder: string): Epochs {
  const inOrder = createInOrder()
  const entering = new Map<string, number>()
  const running = new Map<string, Set<Promise<unknown>>>()
  const kept = keptEpochs(files, folder)

  /** Returns the epoch on disk. Throws `epochOver` where a later one is there, or about to be, and `epochNotKnown`. */
  function assertCurrent({ conversation, epoch }: Fence): number {
    const stored = kept.stored({ conversation, epoch })
    const highest = Math.max(stored, entering.get(conversation) ?? 0, kept.raisedHere(conversation))
    if (epoch < highest) throw epochOver({ conversation, epoch }, highest)
    return stored
  }

  async function raise({ conversation, epoch }: Fence): Promise<void> {
    if (assertCurrent({ conversation, epoch }) === epoch) return
    entering.set(conversation, epoch)
    try {
      await Promise.allSettled(running.get(conversation) ?? [])
      await kept.keep({ conversation, epoch })
    } finally {
      if (entering.get(conversation) === epoch) entering.delete(conversation)
    }
  }

  function track<Result>(conversation: string, result: Promise<Result>): Promise<Result> {
    const those = running.get(conversation) ?? new Set()
    running.set(conversation, those.add(result))
    const end = () => {
      those.delete(result)
      if (those.size === 0) running.delete(conversation)
    }
    result.then(end, end)
    return result
  }

  const enter = (fence: Fence) => inOrder(fence.conversation, () => raise(fence))

  function run<Result>(fence: Fence, effect: () => Result | Promise<Result>): Result | Promise<Result> {
    const { conversation, epoch } = fence
    if (assertCurrent(fence) < epoch || entering.has(conversation)) return enter(fence).then(() => run(fence, effect))
    const result = effect()
    return result instanceof Promise ? track(conversation, result) : result
  }

  return { enter, run }
}

/** Number of conversations with a kept epoch: the ones raised last. */
const keptConversations = 10_000

/**
 * Opens the epochs on disk, in a file for each conversation, and the epochs that this process has raised, should a file
 * be removed.
 */
function keptEpochs(files: Files, folder: string) {
  /** Highest epochs of this process by their files. The one that was raised last is the last. */
  const known = new Map<string, number>()
  const pathOf = (conversation: string) => join(folder, contentHash(conversation))

  /** Returns the epoch on disk, 0 for a missing file. Throws `epochNotKnown` where it cannot be read. */
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

  /** Writes an epoch. Rejects with `epochNotKept`. */
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

  /** Returns the epoch that this process has raised last; 0 without one. */
  const raisedHere = (conversation: string) => known.get(pathOf(conversation)) ?? 0
  return { stored, raisedHere, keep }
}
