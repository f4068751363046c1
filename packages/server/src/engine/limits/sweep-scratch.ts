import { renameSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Files,
  isConversationId,
  isRunning,
  readOwner,
  StorageError,
  scratchFolder,
  sessionPaths,
} from '@parley/journal'
import { removeTree } from '@parley/workspace'

const sweptSuffix = '.swept'

/**
 * Removes the /tmp folders that crashed servers left; those of running owners stay. Renames each one first, as its
 * conversation can be resumed and get a new /tmp while a large one is still being removed.
 */
export async function sweepScratch(files: Files, home: string): Promise<void> {
  const folder = scratchFolder(home)
  const stale = namesIn(files, folder).filter((name) => isSwept(name) || isStale(files, home, name))
  for (const path of stale.map((name) => setAside(join(folder, name)))) await removeTree(path)
}

function isSwept(name: string): boolean {
  return name.endsWith(sweptSuffix) && isConversationId(name.slice(0, -sweptSuffix.length))
}

function setAside(path: string): string {
  const aside = path.endsWith(sweptSuffix) ? path : `${path}${sweptSuffix}`
  try {
    if (path !== aside) renameSync(path, aside)
  } catch {
    // An interrupted sweep left a renamed one, which is removed now; this one is removed at the next start.
  }
  return aside
}

function namesIn(files: Files, folder: string): readonly string[] {
  try {
    return files.look(folder)?.kind === 'folder' ? files.list(folder) : []
  } catch (error) {
    if (error instanceof StorageError) return []
    throw error
  }
}

/** Returns false for names that are no conversation's, and where the owner cannot be read. */
function isStale(files: Files, home: string, name: string): boolean {
  const paths = isConversationId(name) ? sessionPaths(home, name) : null
  if (paths === null) return false
  try {
    const owner = readOwner(files, paths.owner)
    return owner === null || !isRunning(owner)
  } catch (error) {
    if (error instanceof StorageError) return false
    throw error
  }
}
