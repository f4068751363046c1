import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { diskPatchFiles, systemErrorCode } from '@parley/workspace'
import type { Reach } from './reach.ts'

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
