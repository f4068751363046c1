import { closeSync, readSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openUnlocked } from '@parley/host'
import { liesWithin, realOrGiven } from '@parley/workspace'
/** Where a project keeps what it wants of parley. */
export const projectFolderName = '.parley'

export interface ProjectRoot {
  /** A real path. */
  readonly folder: string
  /** It is the root of a repository, not just the folder that was named. */
  readonly isRepository: boolean
}

/** The repository that holds a folder of this machine, else the folder itself; null where it cannot be looked at. */
export function projectRoot(cwd: string): ProjectRoot | null {
  try {
    const real = realpathSync(cwd)
    if (!statSync(real).isDirectory()) return null
    const repository = foldersUp(real).find(isRepository)
    return { folder: repository ?? real, isRepository: repository !== undefined }
  } catch {
    return null
  }
}

/** `$PARLEY_HOME` of somebody who works in their home folder is no project of theirs. */
export function isParleyHome(root: string, home: string): boolean {
  return realOrGiven(join(root, projectFolderName)) === realOrGiven(home)
}

/** A worktree and a submodule have a file that says where theirs is. Nothing is asked of git: that would run its hooks. */
function isRepository(folder: string): boolean {
  const git = join(folder, '.git')
  const kind = statSync(git, { throwIfNoEntry: false })
  if (kind === undefined) return false
  if (kind.isDirectory()) return statSync(join(git, 'HEAD'), { throwIfNoEntry: false })?.isFile() === true
  return kind.isFile() && beginsWith(git, 'gitdir: ')
}

function beginsWith(path: string, word: string): boolean {
  try {
    const file = openUnlocked(path, 'r')
    try {
      const start = Buffer.alloc(word.length)
      return readSync(file, start, 0, word.length, 0) === word.length && start.toString('latin1') === word
    } finally {
      closeSync(file)
    }
  } catch {
    return false
  }
}

function foldersUp(from: string): string[] {
  const parent = dirname(from)
  return parent === from ? [from] : [from, ...foldersUp(parent)]
}

/**
 * The repository that holds `$PARLEY_HOME`, whose files would then be the user's own configuration; null where it holds
 * all of the user's home as well, as one for dot files does.
 */
export function repositoryAroundHome(cwd: string, home: string, userHome: string | undefined): string | null {
  const found = projectRoot(cwd)
  if (found === null || !found.isRepository || !liesWithin(realOrGiven(home), found.folder)) return null
  return userHome !== undefined && liesWithin(realOrGiven(userHome), found.folder) ? null : found.folder
}
