import { type BigIntStats, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { entriesIn } from '../system/list-folder.ts'
import { lookAt, outermostFolders } from '../system/real-path.ts'
import { timeSlices } from '../time/time-slices.ts'

/** Entries looked at in all folders; a search of so many takes about a second. */
const maxEntries = 200_000

/** Searches; the stamp changes when the file gets another name, loses one or one is renamed. */
const known = new Map<string, { readonly stamp: string; readonly names: readonly string[] }>()
const maxKnown = 50

/**
 * Lists the hard links of a file within folders; each can be written past every mask. Searches once, until the file's
 * names change. Throws a sentence where there is too much to search.
 */
export function hardLinksOf(file: string, folders: readonly string[]): readonly string[] {
  const stat = lookAt(file)
  if (stat?.isFile() !== true || stat.nlink < 2n) return []
  const stamp = `${stat.dev} ${stat.ino} ${stat.nlink} ${stat.ctimeNs}`
  const key = JSON.stringify([file, folders])
  const last = known.get(key)
  if (last?.stamp === stamp) return last.names
  const names = searchFor(file, stat, folders)
  known.delete(key)
  known.set(key, { stamp, names })
  for (const oldest of known.keys()) if (known.size > maxKnown) known.delete(oldest)
  return names
}

/**
 * Resolves to the files with a hard link outside of the folders: a write to such a file changes the other name, too.
 * Searches the folders once for all files, in slices. Beyond the limit of entries, resolves to all files.
 */
export async function hardLinkedOutside(
  files: readonly string[],
  folders: readonly string[],
): Promise<readonly string[]> {
  const linked = files.flatMap((file) => {
    const stat = lookAt(file)
    return stat?.isFile() === true && stat.nlink > 1n ? [{ file, stat }] : []
  })
  if (linked.length === 0) return []
  /** Names that are not found yet, by device and inode. */
  const left = new Map(linked.map(({ stat }) => [identityIn(stat), stat.nlink]))
  const slices = timeSlices()
  for (const path of filesBelow(outermostFolders(folders))) {
    if (slices.isOver()) await slices.next()
    const stat = lookAt(path)
    const count = stat === null ? undefined : left.get(identityIn(stat))
    if (stat !== null && count !== undefined) left.set(identityIn(stat), count - 1n)
  }
  return linked.filter(({ stat }) => (left.get(identityIn(stat)) ?? 0n) > 0n).map(({ file }) => file)
}

/** Yields the files below folders, of as many entries as are looked at in all. */
function* filesBelow(folders: readonly string[]): Generator<string> {
  const left = [...folders]
  let entries = 0
  for (let folder = left.pop(); folder !== undefined && entries <= maxEntries; folder = left.pop()) {
    for (const entry of entriesIn(folder) ?? []) {
      entries += 1
      const path = join(folder, entry.name)
      if (entry.isDirectory()) left.push(path)
      else if (entry.isFile()) yield path
    }
  }
}

function identityIn({ dev, ino }: BigIntStats): string {
  return `${dev} ${ino}`
}

function searchFor(file: string, { dev, ino }: BigIntStats, folders: readonly string[]): string[] {
  const found: string[] = []
  const left = [...folders]
  let entries = 0
  for (let folder = left.pop(); folder !== undefined; folder = left.pop()) {
    // A second name lies on the same file system.
    if (lookAt(folder)?.dev !== dev) continue
    const listed = entriesIn(folder) ?? []
    entries += listed.length
    if (entries > maxEntries)
      throw new Error(
        `${file} has further names (hard links), and there are too many files to see whether one of them can be written. Remove its other names, or put a copy in its place.`,
      )
    for (const entry of listed) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) left.push(path)
      else if (entry.isFile() && inodeOf(path) === ino && path !== file) found.push(path)
    }
  }
  return found
}

function inodeOf(path: string): bigint | null {
  return lstatSync(path, { throwIfNoEntry: false, bigint: true })?.ino ?? null
}
