import { closeSync, constants, fstatSync, readFileSync } from 'node:fs'
import { dirname, isAbsolute } from 'node:path'
import { openUnlocked, statOrNull } from '../system/locked-files.ts'

/**
 * Folders that hold a repository, as git writes them: a `..` in them leaves the target of a link. `own` holds HEAD and
 * the index of one work tree; `common` settings, hooks and excludes, and differs only for a further work tree.
 */
type GitFolders = { readonly own: string; readonly common: string }

/**
 * Returns where a `.git` leads: itself, or the folder that the file of a worktree, submodule or separate git directory
 * names; null where git takes it for nothing. `GIT_DIR` does not count, as commands do not get it. Throws a sentence for
 * files that are too large.
 */
export function gitFoldersOf(entry: string): GitFolders | null {
  const own = statOrNull(entry)?.isFile() === true ? gitFileTarget(readBounded(entry) ?? '', dirname(entry)) : entry
  return own === null ? null : { own, common: commonFolderOf(own) }
}

/** Returns the folder that the text of a file named `.git` leads to, from the folder of that file; null for any other text. */
export function gitFileTarget(text: string, folder: string): string | null {
  const [path = ''] = text.split('\0', 1)
  const target = path.startsWith('gitdir: ') ? withoutLineEnd(path.slice('gitdir: '.length)) : ''
  return target === '' ? null : pathFrom(folder, target)
}

/**
 * Returns the folder that a git directory shares with other work trees; the directory itself where it shares nothing.
 */
export function commonFolderOf(folder: string): string {
  return commonFolderTarget(readBounded(`${folder}/commondir`) ?? '', folder)
}

/** Returns the folder that the text of a `commondir` leads to, from the git directory that has it. */
export function commonFolderTarget(text: string, folder: string): string {
  const [path = ''] = text.split('\0', 1)
  const common = withoutLineEnd(path)
  return common === '' ? folder : pathFrom(folder, common)
}

/** Completes a path without normalising it: a `..` behind a link leaves the target of the link. */
export function pathFrom(folder: string, path: string): string {
  return isAbsolute(path) ? path : `${folder}/${path}`
}

/** Steps by character, since a pattern would try every line end again from each one before it. */
function withoutLineEnd(text: string): string {
  let end = text.length
  while (text[end - 1] === '\n' || text[end - 1] === '\r') end -= 1
  return text.slice(0, end)
}

const maxBytes = 1024 * 1024

/** Reads a regular file; null for anything else. Never waits. Throws a sentence for a file that is too large. */
export function readBounded(path: string): string | null {
  let fd: number
  try {
    fd = openUnlocked(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch {
    return null
  }
  try {
    const stats = fstatSync(fd)
    if (!stats.isFile()) return null
    if (stats.size > maxBytes) throw new Error(`${path} is larger than 1 MiB, too large to find what git runs by it`)
    return readFileSync(fd, 'utf8')
  } finally {
    closeSync(fd)
  }
}
