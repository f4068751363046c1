import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { orNull } from '@parley/text'
import { isWithin, lookAt, realPathOrNull } from '../system/real-path.ts'
import { gitFoldersOf, pathFrom, readBounded } from './git-folder.ts'
import { hasGitEntries } from './repositories.ts'

/**
 * Lists the folders outside the writable ones that git reads for these and that lie below /tmp. A sandbox with a /tmp of
 * its own shows them for reading, but for secret places; else git would find no repository.
 */
export function gitFoldersInTmp({
  writableRoots,
  masked,
}: {
  readonly writableRoots: readonly string[]
  readonly masked: readonly string[]
}): string[] {
  return writableRoots.flatMap(foldersReadByGit).filter((path) => {
    const isSeenOrSecret = [...writableRoots, ...masked].some((folder) => isWithin(path, folder))
    return isWithin(path, '/tmp') && path !== '/tmp' && !isSeenOrSecret
  })
}

/** Depth to which git follows alternates of object folders. */
const maxDepth = 5
const maxAlternates = 50

/**
 * Lists the real paths of the folders that git reads for a work tree or a folder in it: its git directory, the one that it
 * shares with other work trees, and the objects that it borrows. A folder that is no git directory is left out.
 */
function foldersReadByGit(folder: string): readonly string[] {
  const entry = nearestEntry(folder)
  // A file that is too large is refused by git as well.
  const found = entry === null ? null : orNull(() => gitFoldersOf(entry))
  if (found === null) return []
  const real = [found.own, found.common].map(realPathOrNull).filter((path) => path !== null)
  const folders = real.filter(isGitFolder)
  const all = [...folders, ...borrowedObjects(`${found.common}/objects`)]
  return [...new Set(all)]
}

function nearestEntry(folder: string): string | null {
  const entry = join(folder, '.git')
  if (lookAt(entry) !== null) return entry
  return dirname(folder) === folder ? null : nearestEntry(dirname(folder))
}

function isGitFolder(folder: string): boolean {
  return hasGitEntries((name) => existsSync(`${folder}/${name}`))
}

/** Lists the alternates of an object folder, and their alternates in turn. */
function borrowedObjects(objects: string): readonly string[] {
  const found = new Set<string>()
  let level = [objects]
  for (let depth = 0; depth < maxDepth && found.size < maxAlternates; depth += 1) {
    level = level.flatMap((from) => alternatesOf(from)).filter((path) => !found.has(path))
    for (const path of level.slice(0, maxAlternates)) found.add(path)
  }
  return [...found]
}

function alternatesOf(objects: string): readonly string[] {
  const text = orNull(() => readBounded(`${objects}/info/alternates`)) ?? ''
  const lines = text.split('\n').filter((line) => line !== '' && line[0] !== '#')
  return lines.slice(0, maxAlternates).flatMap((line) => {
    // The sandbox shows the real path: a link on the way could lead elsewhere after this look.
    const path = realPathOrNull(pathFrom(objects, line))
    return path !== null && existsSync(`${path}/pack`) ? [path] : []
  })
}
