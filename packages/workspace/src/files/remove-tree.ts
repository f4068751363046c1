import { chmod, lstat, opendir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Removes a folder with everything in it; removes links and does not follow them. Never throws. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true })
  } catch {
    // A folder without permissions for its owner cannot be emptied.
    await makeFoldersWritable(path)
    await rm(path, { recursive: true, force: true }).catch(() => undefined)
  }
}

async function makeFoldersWritable(path: string): Promise<void> {
  try {
    if (!(await lstat(path)).isDirectory()) return
    await chmod(path, 0o700)
    for await (const entry of await opendir(path))
      if (entry.isDirectory()) await makeFoldersWritable(join(path, entry.name))
  } catch {
    // Owned by another user or already gone; the caller's next sweep tries again.
  }
}
