import { dirname } from 'node:path'
import { followLinks } from '@parley/host'
import { realOrGiven } from '../../lookup/real-or-given.ts'
import { liesWithin } from '../../lookup/workspace-path.ts'
import { ownFiles } from '../../own-files.ts'
import { refusal } from '../refusal.ts'

/**
 * Refuses folders of this machine that hold what a link in `$PARLEY_HOME`, or on the way to it, leads to: a command or a
 * patch could rewrite the user's own settings, rules or keys.
 */
export function assertOwnFilesOutside(roots: readonly string[], home: string): void {
  const folders = roots.map(realOrGiven)
  const realHome = followLinks(home).real
  for (const path of ownFiles(home)) {
    const target = followLinks(path).real
    const folder = folders.find((root) => liesWithin(target, root))
    const isOwn =
      path === home ? folder !== undefined && isPlainlyIn(folder, home, realHome) : liesWithin(target, realHome)
    if (folder !== undefined && !isOwn) throw ownFileInside(path, target, folder)
  }
}

/** True where no link below the folder leads to the home: it is hidden there from commands as it is anywhere. */
function isPlainlyIn(folder: string, home: string, realHome: string): boolean {
  return foldersUp(home).some(
    (above) => realOrGiven(above) === folder && folder + home.slice(above.length) === realHome,
  )
}

function foldersUp(path: string): string[] {
  const parent = dirname(path)
  return parent === path ? [path] : [path, ...foldersUp(parent)]
}

function ownFileInside(path: string, target: string, folder: string) {
  return refusal(
    'configInvalid',
    `${path} leads to ${target}, which lies in ${folder}, where commands and patches of this conversation may write: they could change parley's own settings and rules. Put a copy in place of the link, or work in a folder that does not hold ${target}.`,
    { where: path },
  )
}
