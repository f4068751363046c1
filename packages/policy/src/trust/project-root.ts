import { realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { foldersUp, gitFoldersOf } from '@parley/host'
import { orNull } from '@parley/text'
import { liesWithin, realOrGiven } from '@parley/workspace'

/** Folder of a project's own configuration. */
export const projectFolderName = '.parley'

export interface ProjectRoot {
  /** Real path. */
  readonly folder: string
  /** True for the root of a repository, false for the given folder itself. */
  readonly isRepository: boolean
}

/** Returns the repository that contains a folder, else the folder itself; null when it cannot be read. */
export function projectRoot(cwd: string): ProjectRoot | null {
  return orNull(() => {
    const real = realpathSync(cwd)
    if (!statSync(real).isDirectory()) return null
    const repository = foldersUp(real).find(isRepository)
    return { folder: repository ?? real, isRepository: repository !== undefined }
  })
}

/** Returns whether the configuration folder is `$PARLEY_HOME`, as in the user's home, which is no project. */
export function isParleyHome(root: string, home: string): boolean {
  return realOrGiven(join(root, projectFolderName)) === realOrGiven(home)
}

/** Detects a repository by its `.git`, which worktrees and submodules have as a file. Git itself could run hooks. */
function isRepository(folder: string): boolean {
  const git = join(folder, '.git')
  const kind = statSync(git, { throwIfNoEntry: false })
  if (kind === undefined) return false
  if (kind.isDirectory()) return statSync(join(git, 'HEAD'), { throwIfNoEntry: false })?.isFile() === true
  return kind.isFile() && gitFoldersOf(git) !== null
}

/**
 * Returns the repository that contains `$PARLEY_HOME`, so that its files would be the user's own configuration. Returns
 * null for a repository that contains the user's whole home, such as one for dot files.
 */
export function repositoryAroundHome(cwd: string, home: string, userHome: string | undefined): string | null {
  const found = projectRoot(cwd)
  if (found === null || !found.isRepository || !liesWithin(realOrGiven(home), found.folder)) return null
  return userHome !== undefined && liesWithin(realOrGiven(userHome), found.folder) ? null : found.folder
}
