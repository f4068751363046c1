import { randomUUID } from 'node:crypto'
import { chmod, lstat, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Bytes of a path below the top that leave room for one more name under every system's limit. */
const maxDepthBytes = 512

/** Removes a folder with everything in it; removes links and does not follow them. Never throws. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true })
  } catch {
    // A folder without permissions for its owner cannot be emptied, and neither can one with a path too long for the
    // system.
    await makeRemovable(path, path)
    await rm(path, { recursive: true, force: true }).catch(() => undefined)
  }
}

/** Makes folders writable, and moves entries with long paths to the top, where their own folders have short paths. */
async function makeRemovable(path: string, top: string): Promise<void> {
  try {
    if (!(await lstat(path)).isDirectory()) return
    await chmod(path, 0o700)
    const folder = Buffer.byteLength(path) - Buffer.byteLength(top) > maxDepthBytes ? await moveUp(path, top) : path
    for (const entry of await readdir(folder, { withFileTypes: true }))
      if (entry.isDirectory()) await makeRemovable(join(folder, entry.name), top)
  } catch {
    // Owned by another user or already gone; the caller's next sweep tries again.
  }
}

/** Resolves to the new path of the folder. */
async function moveUp(path: string, top: string): Promise<string> {
  const moved = join(top, randomUUID())
  await rename(path, moved)
  return moved
}
