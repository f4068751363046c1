import { lstat, mkdir, rm, rmdir, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { diskPatchFiles, entriesOf, inFolder, isMissing, systemErrorCode } from '@parley/workspace'
import type { FileLimits, Reach } from '../sandbox/file-limits.ts'

/** Operations on folders: by name, or with each parent held open so that no link can divert them. */
interface FolderOperations {
  make(path: string): Promise<unknown>
  isFolder(path: string): Promise<boolean>
}

const named: FolderOperations = {
  make: (path) => mkdir(path),
  isFolder: async (path) => (await stat(path)).isDirectory(),
}
const exactly: FolderOperations = {
  make: diskPatchFiles.mkdir,
  isFolder: async (path) => (await diskPatchFiles.stat(path))?.kind === 'folder',
}

/**
 * Creates a folder, with missing parents if `recursive`. Creates one at a time, since Node's `recursive` never ends
 * where an existing parent answers ENOENT, as `/proc` does.
 */
export function makeFolder({ path, exact }: Reach, recursive: boolean): Promise<void> {
  return makeWith(exact ? exactly : named, path, recursive)
}

async function makeWith(folders: FolderOperations, path: string, recursive: boolean): Promise<void> {
  try {
    await folders.make(path)
  } catch (error) {
    if (!recursive) throw error
    const code = systemErrorCode(error)
    if (code === 'EEXIST' && (await folders.isFolder(path))) return
    const parent = dirname(path)
    if (code !== 'ENOENT' || (await folders.isFolder(parent).catch(() => false))) throw error
    await makeWith(folders, parent, true)
    await makeWith(folders, path, true)
  }
}

interface Removal {
  readonly recursive: boolean
  readonly force: boolean
  /** Limits that also hold for every entry below a folder. */
  readonly limits: FileLimits | null
}

/** Removes a file, a folder or a link itself, never the target of a link. */
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

/**
 * Removes folder by folder, each held open while its entries go, so that a folder swapped for a link empties no
 * other.
 */
async function removeExactly(path: string, recursive: boolean, limits: FileLimits | null): Promise<void> {
  await limits?.assertWritable(path)
  const isFolder = await inFolder(path, async (name) => (await lstat(name)).isDirectory())
  if (!isFolder) return inFolder(path, unlink)
  if (recursive) {
    const names: string[] = []
    for await (const { name } of entriesOf(path)) names.push(join(path, name))
    // All entries are checked before the first is removed.
    for (const below of names) await limits?.assertWritable(below)
    for (const below of names) await removeExactly(below, true, limits)
  }
  await inFolder(path, rmdir)
}
