import { chmod, lstat, opendir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Links in it are removed, not followed; a folder that its owner may not enter is opened first. Never throws. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true })
  } catch {
    await openFolders(path)
    await rm(path, { recursive: true, force: true }).catch(() => undefined)
  }
}

async function openFolders(path: string): Promise<void> {
  try {
    if (!(await lstat(path)).isDirectory()) return
    await chmod(path, 0o700)
    for await (const entry of await opendir(path)) if (entry.isDirectory()) await openFolders(join(path, entry.name))
  } catch {
    // Somebody else's by now; the next sweep tries again.
  }
}
