import { dirname } from 'node:path'
import { followLinks } from '@parley/host'
import { liesWithin, ownFiles, realOrGiven } from '@parley/workspace'
import { rejection } from '../refusal.ts'

/**
 * Refuses folders of this machine that hold what a link in `$PARLEY_HOME`, or on the way to it, leads to or passes: a
 * command or a patch could rewrite the user's own settings, rules or keys, or put others in their place.
 */
export function assertOwnFilesOutside(roots: readonly string[], home: string): void {
  const folders = roots.map(realOrGiven)
  const realHome = followLinks(home).real
  for (const path of ownFiles(home)) {
    const { real, links } = followLinks(path)
    for (const place of [real, ...links]) {
      const folder = folders.find((root) => liesWithin(place, root))
      if (folder === undefined) continue
      const isOwn = path === home ? isPlainlyIn(folder, home, realHome) : liesWithin(place, realHome)
      if (!isOwn) throw ownFileInside(path, { place, isPassed: place !== real }, folder)
    }
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

interface Inside {
  readonly place: string
  /** It is a link on the way, and what it leads to lies elsewhere. */
  readonly isPassed: boolean
}

function ownFileInside(path: string, { place, isPassed }: Inside, folder: string) {
  const way = place === path ? 'is a link' : isPassed ? `leads through the link ${place}` : `leads to ${place}`
  return rejection(
    'configInvalid',
    `${path} ${way}, which lies in ${folder}, where commands and patches of this conversation may write: they could change parley's own settings and rules. Put a copy in place of the link, or work in a folder that does not hold ${place}.`,
    { where: path },
  )
}
