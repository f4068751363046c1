import { join } from 'node:path'
import type { Files } from '../log/files.ts'
import { isRunning, readOwner } from '../log/owner.ts'
import { isConversationId, scratchFolder, sessionPaths } from '../log/session-paths.ts'
import { StorageError } from '../log/storage-error.ts'
import { removeTree } from './scratch.ts'

/** Takes away what crashed servers left of their conversations' /tmp. One whose owner runs is kept. */
export async function sweepScratch(files: Files, home: string): Promise<void> {
  const folder = scratchFolder(home)
  for (const name of namesIn(files, folder)) if (isStale(files, home, name)) await removeTree(join(folder, name))
}

function namesIn(files: Files, folder: string): readonly string[] {
  try {
    return files.look(folder)?.kind === 'folder' ? files.list(folder) : []
  } catch (error) {
    if (error instanceof StorageError) return []
    throw error
  }
}

/** Names that are not ours are left alone. */
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
