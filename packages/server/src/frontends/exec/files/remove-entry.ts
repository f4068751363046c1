import { lstat, rm, rmdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { entriesOf, inFolder, isMissing } from '@parley/workspace'
import type { FileLimits } from '../confinement/file-limits.ts'
import type { Reach } from './reach.ts'

export interface Removal {
  readonly recursive: boolean
  readonly force: boolean
  /** They hold for everything below a folder too. */
  readonly limits: FileLimits | null
}

/** A link itself, never what it leads to. */
export async function removeEntry({ path, exact }: Reach, { recursive, force, limits }: Removal): Promise<void> {
  try {
    if (exact) await removeExactly(path, recursive, limits)
    else await removeNamed(path, recursive)
  } catch (error) {
    if (!force || !isMissing(error)) throw error
  }
}

async function removeNamed(path: string, recursive: boolean): Promise<void> {
  const isFolder = (await lstat(path)).isDirectory()
  if (isFolder && recursive) await rm(path, { recursive: true })
  else if (isFolder) await rmdir(path)
  else await unlink(path)
}

/** Folder by folder, each held open while its entries go: a folder swapped for a link empties nothing elsewhere. */
async function removeExactly(path: string, recursive: boolean, limits: FileLimits | null): Promise<void> {
  await limits?.assertWritable(path)
  const isFolder = await inFolder(path, async (name) => (await lstat(name)).isDirectory())
  if (!isFolder) return inFolder(path, unlink)
  if (recursive) {
    const names: string[] = []
    for await (const { name } of entriesOf(path)) names.push(join(path, name))
    // What may not go is found before its neighbours are gone.
    for (const below of names) await limits?.assertWritable(below)
    for (const below of names) await removeExactly(below, true, limits)
  }
  await inFolder(path, rmdir)
}
