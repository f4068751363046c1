import { basename, dirname, join } from 'node:path'
import { makeFolders } from '../disk/file-io.ts'
import { type Files, hasCode, StorageError, troubleOf } from '../disk/files.ts'
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
 * Deletes everything a conversation has on disk except its lock, which the caller holds. One rename takes it out of
 * every list. Throws `StorageError` when nothing was changed, and `UnfinishedDeletionError` after the rename.
 */
export function deleteSession(files: Files, paths: SessionPaths): void {
  moveAway(files, paths)
  try {
    removeSession(files, paths)
  } catch (error) {
    throw error instanceof StorageError ? new UnfinishedDeletionError(error) : error
  }
}

/** Removes what a conversation has on disk except its lock, and the log of a deleted one last. */
export function removeSession(files: Files, paths: SessionPaths): void {
  for (const path of [paths.log, paths.checkpoint, paths.sideFiles, ...tornPieces(files, paths), paths.deleted])
    files.removeTree(path)
}

/** Finishes the deletions that a crash or the disk cut short. Returns how many; one that fails again is left. */
export function finishDeletions(files: Files, home: string): number {
  const names = files.look(deletedFolder(home)) === null ? [] : files.list(deletedFolder(home))
  return names.filter((name) => isFinished(files, home, name)).length
}

function isFinished(files: Files, home: string, name: string): boolean {
  const id = idOfLogName(name)
  const paths = id === null ? null : sessionPaths(home, id)
  // A log that was put back since then has use for its side files.
  if (paths === null || files.look(paths.log) !== null) return false
  try {
    removeSession(files, paths)
    return true
  } catch (error) {
    if (error instanceof StorageError) return false
    throw error
  }
}

function moveAway(files: Files, { log, deleted }: SessionPaths): void {
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

function tornPieces(files: Files, { folder, log }: SessionPaths): readonly string[] {
  const torn = basename(tornPath(log, 0)).slice(0, -1)
  const names = files.look(folder) === null ? [] : files.list(folder)
  return names.filter((name) => name.startsWith(torn)).map((name) => join(folder, name))
}
