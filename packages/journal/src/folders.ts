import { dirname } from 'node:path'
import { type Files, FOLDER_MODE } from './files.ts'
import { hasCode } from './storage-error.ts'

/** Makes what is missing of `path`, ours alone whatever the umask is; existing folders stay as they are. */
export function makeFolders(files: Files, path: string): void {
  if (files.look(path) !== null) return
  const parent = dirname(path)
  if (parent !== path) makeFolders(files, parent)
  try {
    files.makeFolder(path)
  } catch (error) {
    // Another process made it between the look and now.
    if (hasCode(error, 'EEXIST')) return
    throw error
  }
  files.setModeAt(path, FOLDER_MODE)
}

/** `path` and its parents up to `root`, innermost first: what must be synced for a new file in `path` to stay. */
export function foldersUpTo(path: string, root: string): readonly string[] {
  const parent = dirname(path)
  return path === root || parent === path ? [path] : [path, ...foldersUpTo(parent, root)]
}
