import { lstat, mkdir, rm, rmdir, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { diskPatchFiles, entriesOf, inFolder, isMissing, systemErrorCode } from '@parley/workspace'
import type { FileLimits, Reach } from '../sandbox/file-limits.ts'

/** How folders are made and found: by their names, or each in its parent held open. */
interface Means {
  make(path: string): Promise<unknown>
  isFolder(path: string): Promise<boolean>
}

const named: Means = {
  make: (path) => mkdir(path),
  isFolder: async (path) => (await stat(path)).isDirectory(),
}
const exactly: Means = {
  make: diskPatchFiles.mkdir,
  isFolder: async (path) => (await diskPatchFiles.stat(path))?.kind === 'folder',
}

/**
 * With what is missing on the way when `recursive`; one that is there is then no fault. One folder after the other,
 * since Node's own `recursive` goes on for ever where the parent is there and answers ENOENT, as `/proc` does.
 */
export function makeFolder({ path, exact }: Reach, recursive: boolean): Promise<void> {
  return makeWith(exact ? exactly : named, path, recursive)
}

async function makeWith(means: Means, path: string, recursive: boolean): Promise<void> {
  try {
    await means.make(path)
  } catch (error) {
    if (!recursive) throw error
    const code = systemErrorCode(error)
    if (code === 'EEXIST' && (await means.isFolder(path))) return
    const parent = dirname(path)
    if (code !== 'ENOENT' || (await means.isFolder(parent).catch(() => false))) throw error
    await makeWith(means, parent, true)
    await makeWith(means, path, true)
  }
}

interface Removal {
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
