import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Folders of `$PARLEY_HOME` whose files affect which programs may run. */
const trustedFolders = ['trust', 'cache']

/**
 * Lists `$PARLEY_HOME` and the links in it, not followed.
 *
 * Users link settings into a repository, so the targets of these links need the same protection.
 */
export function ownFiles(home: string): readonly string[] {
  const links = ['', ...trustedFolders].flatMap((folder) => linksIn(join(home, folder)))
  return [...(isThere(home) ? [home] : []), ...links]
}

function linksIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true })
    return entries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => join(folder, name))
  } catch {
    return []
  }
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}
