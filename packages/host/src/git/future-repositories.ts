import { dirname, join } from 'node:path'
import { isWithin, lookAt } from '../system/real-path.ts'
import { hasGitEntries } from './repositories.ts'

/** Entries that make a folder a repository for git, or decide which programs it starts there; in lower case. */
const ownEntries =
  /^(?:head|config|config\.worktree|commondir|gitdir|objects|refs|packed-refs|hooks|info|modules|worktrees)$/

/**
 * Returns a test that is true for paths that git reads itself, in a folder that becomes a repository once all `made`
 * paths exist. Each test looks at the files anew.
 * @param roots The search for repositories ends at these folders.
 */
export function partsOfFutureRepositories(
  made: readonly string[],
  roots: readonly string[],
): (path: string) => boolean {
  const folded = withFolders(made.map((path) => path.toLowerCase()))
  const wouldBeThere = (entry: string, also: string) =>
    folded.has(entry.toLowerCase()) || isWithin(also, entry.toLowerCase()) || lookAt(entry) !== null

  function isPart(path: string, whole: string): boolean {
    const folder = dirname(path)
    if (folder === path || !roots.some((root) => isWithin(folder, root))) return false
    const name = path.slice(folder.length).replace(/^\//, '').toLowerCase()
    const isOwn = ownEntries.test(name) && hasGitEntries((entry) => wouldBeThere(join(folder, entry), whole))
    return isOwn || isPart(folder, whole)
  }

  return (path) => isPart(path, path.toLowerCase())
}

/** Returns paths and all folders above them: a copy brings so many that to compare each with each takes too long. */
function withFolders(paths: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>()
  for (let path of paths)
    while (!found.has(path)) {
      found.add(path)
      path = dirname(path)
    }
  return found
}
