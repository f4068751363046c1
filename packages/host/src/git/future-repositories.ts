import { dirname, join } from 'node:path'
import { isWithin, lookAt } from '../system/real-path.ts'
import { hasGitEntries } from './repositories.ts'

/** Entries by which git takes a folder for a repository, or that decide what it runs there; in lower case. */
const ownEntries =
  /^(?:head|config|config\.worktree|commondir|gitdir|objects|refs|packed-refs|hooks|info|modules|worktrees)$/

/**
 * Returns a test of paths: true for what git itself reads in a folder that it would take for a repository once all these
 * paths were there. Looks at the files as they are at each test.
 * @param roots Folders of which none above is looked at.
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
