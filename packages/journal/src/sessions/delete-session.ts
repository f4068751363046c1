import { basename, dirname, join } from 'node:path'
import { makeFolders } from '../disk/file-io.ts'
import { type FolderEntries, hasCode, StorageError, troubleOf } from '../disk/files.ts'
import { deletedFolder, idOfLogName, type SessionPaths, sessionPaths, tornPath } from '../disk/session-paths.ts'

/** Failure after a conversation is gone from every list: some of its files are left for `finishDeletions`. */
export class UnfinishedDeletionError extends Error {
  override readonly name = 'UnfinishedDeletionError'
  override readonly cause: StorageError

  constructor(cause: StorageError) {
    super(`not all files were removed: ${cause.message}`)
    this.cause = cause
  }
}

/**
 * Deletes a conversation except its lock, which the caller holds; also after a loss of power, once this resolves.
 * Rejects with `StorageError` when nothing was changed, with `UnfinishedDeletionError` after the rename.
 */
export async function deleteSession(files: FolderEntries, paths: SessionPaths): Promise<void> {
  moveAway(files, paths)
  try {
    // Before anything else goes: a log that is back has its side files.
    await syncNames(files, [dirname(paths.deleted), dirname(dirname(paths.deleted)), paths.folder])
    await finishDeletion(files, paths)
  } catch (error) {
    throw error instanceof StorageError ? new UnfinishedDeletionError(error) : error
  }
}

/** Removes all files of a conversation except its lock, for example when its log could not be made. */
export function removeSession(files: FolderEntries, paths: SessionPaths): void {
  removeParts(files, paths)
  files.removeTree(paths.deleted)
}

function removeParts(files: FolderEntries, paths: SessionPaths): void {
  for (const path of [paths.log, paths.acked, paths.checkpoint, paths.sideFiles, ...tornPieces(files, paths)])
    files.removeTree(path)
}

/** Removes the log of a deleted conversation last: it is what tells that something may be left. */
async function finishDeletion(files: FolderEntries, paths: SessionPaths): Promise<void> {
  removeParts(files, paths)
  await syncNames(files, [paths.folder])
  files.removeTree(paths.deleted)
}

async function syncNames(files: FolderEntries, folders: readonly string[]): Promise<void> {
  for (const folder of folders) if (files.look(folder) !== null) await files.syncFolder(folder)
}

/** Finishes the deletions that a crash or the disk cut short. Resolves to how many; one that fails again is left. */
export async function finishDeletions(files: FolderEntries, home: string): Promise<number> {
  const names = files.look(deletedFolder(home)) === null ? [] : files.list(deletedFolder(home))
  let finished = 0
  for (const name of names) if (await isFinished(files, home, name)) finished += 1
  return finished
}

async function isFinished(files: FolderEntries, home: string, name: string): Promise<boolean> {
  const id = idOfLogName(name)
  const paths = id === null ? null : sessionPaths(home, id)
  // A log that was put back since then has use for its side files.
  if (paths === null || files.look(paths.log) !== null) return false
  try {
    await finishDeletion(files, paths)
    return true
  } catch (error) {
    if (error instanceof StorageError) return false
    throw error
  }
}

function moveAway(files: FolderEntries, { log, deleted }: SessionPaths): void {
  // Closing an ephemeral conversation has removed it.
  if (files.look(log) === null) return
  try {
    makeFolders(files, dirname(deleted))
    files.rename(log, deleted)
  } catch (error) {
    // People delete to make room, and a folder can be on another disk: then the log goes first, at once.
    if (!(error instanceof StorageError) || !(troubleOf(error.code) === 'full' || hasCode(error, 'EXDEV'))) throw error
    files.remove(log)
  }
}

function tornPieces(files: FolderEntries, { folder, log }: SessionPaths): readonly string[] {
  const torn = basename(tornPath(log, 0)).slice(0, -1)
  const names = files.look(folder) === null ? [] : files.list(folder)
  return names.filter((name) => name.startsWith(torn)).map((name) => join(folder, name))
}
