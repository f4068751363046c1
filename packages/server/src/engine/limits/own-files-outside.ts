import { dirname } from 'node:path'
import { followLinks } from '@parley/host'
import { liesWithin, ownFiles, realOrGiven } from '@parley/workspace'
import { rejection } from '../replies/rejection.ts'

/** A file of the user's own that a conversation could change. */
export interface OwnFileInside {
  readonly file: string
  readonly message: string
}

/** Refuses folders that hold files of the user's own; the first of them is the one that is worked in. */
export function assertOwnFilesOutside(roots: readonly string[], home: string): void {
  const inside = findOwnFileInside(roots, home)
  if (inside !== null) throw rejection('configInvalid', inside.message, { where: inside.file })
}

/**
 * Looks in folders of this machine for what a link in `$PARLEY_HOME`, or on the way to it, leads to or passes: a
 * command or a patch could rewrite the user's own settings, rules or keys, or put others in their place.
 */
export function findOwnFileInside(roots: readonly string[], home: string): OwnFileInside | null {
  const folders = roots.map(realOrGiven)
  const realHome = followLinks(home).real
  for (const path of ownFiles(home)) {
    const { real, links } = followLinks(path)
    for (const place of [real, ...links]) {
      const folder = folders.find((root) => liesWithin(place, root))
      if (folder === undefined) continue
      const isOwn = path === home ? isPlainlyIn(folder, home, realHome) : liesWithin(place, realHome)
      if (!isOwn)
        return {
          file: path,
          message: sentence(path, { place, isPassed: place !== real, folder, isAdded: folder !== folders[0] }),
        }
    }
  }
  return null
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
  readonly folder: string
  /** The folder is not the one that is worked in. */
  readonly isAdded: boolean
}

function sentence(path: string, { place, isPassed, folder, isAdded }: Inside): string {
  const way = place === path ? 'is a link' : isPassed ? `leads through the link ${place}` : `leads to ${place}`
  const what = isAdded ? 'a folder added to this conversation' : 'the folder that this conversation works in'
  const elsewhere = isAdded ? `leave out the added folder ${folder}` : `work in a folder that does not hold ${place}`
  return `${path} ${way}, which lies in ${folder}, ${what}: a command or patch that may write there could change parley's own settings and rules. Put a copy in place of the link, or ${elsewhere}.`
}
