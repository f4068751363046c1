import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Folders of `$PARLEY_HOME` whose files decide what may run. */
const deciding = ['trust', 'cache']

/**
 * Lists `$PARLEY_HOME` and the links in it as they are now, not followed. Their targets rule parley wherever they lie:
 * people keep settings in a repository.
 */
export function ownFiles(home: string): readonly string[] {
  const links = ['', ...deciding].flatMap((folder) => linksIn(join(home, folder)))
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
