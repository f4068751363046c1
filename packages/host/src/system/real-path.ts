import { type BigIntStats, lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { errorCode, isMissing, orNull } from '@parley/text'
import { namesIn } from './list-folder.ts'

/** Returns true for a path in a folder or the folder itself. Both are absolute, without `.` and `..`. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
}

/** Returns the folders that lie in no other, each once, in the order of their names. */
export function outermostFolders(folders: readonly string[]): readonly string[] {
  const sorted = [...new Set(folders)].toSorted()
  return sorted.filter((folder) => !sorted.some((other) => other !== folder && isWithin(folder, other)))
}

/** Returns a folder and all folders above it, innermost first. */
export function foldersUp(path: string): string[] {
  const parent = dirname(path)
  return parent === path ? [path] : [path, ...foldersUp(parent)]
}

const maxLinks = 40

/**
 * Resolves an absolute path as the system does: a `..` leaves the folder that a link before it leads to. `real`: where a
 * write would land, with dangling links followed and the missing rest appended. `links`: links on the way, by real path.
 */
export function followLinks(path: string): { readonly real: string; readonly links: readonly string[] } {
  if (realPathOrNull(path) === path) return { real: path, links: [] }
  const links: string[] = []
  let left = path.split('/').reverse()
  let real = '/'
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    if (name === '' || name === '.') continue
    if (name === '..') {
      real = dirname(real)
      continue
    }
    const next = real === '/' ? `/${name}` : `${real}/${name}`
    const target = links.length < maxLinks ? linkTarget(next) : null
    if (target === null) real = next
    else {
      links.push(next)
      if (target.startsWith('/')) real = '/'
      left = [...left, ...target.split('/').reverse()]
    }
  }
  return { real, links }
}

/** Resolves all links of an existing path; returns other paths unchanged. */
export function realOrGiven(path: string): string {
  return realPathOrNull(path) ?? path
}

/**
 * Returns device, inode and time of birth; null for a missing path. The time tells a file from a later one that got the
 * same inode. A link is not followed.
 */
export function identityOf(path: string): string | null {
  const stat = lookAt(path)
  return stat === null ? null : identityOfStat(stat)
}

export function identityOfStat({ dev, ino, birthtimeNs }: Pick<BigIntStats, 'dev' | 'ino' | 'birthtimeNs'>): string {
  return `${dev} ${ino} ${birthtimeNs}`
}

/** Returns facts of an entry, links not followed; null for a missing entry or one that cannot be examined. */
export function lookAt(path: string): BigIntStats | null {
  return orNull(() => lstatSync(path, { throwIfNoEntry: false, bigint: true }) ?? null)
}

/** Resolves links; null for a path that is missing or not accessible to this user, and so to its commands. */
export function realPathOrNull(path: string): string | null {
  return orNull(() => realpathSync.native(path))
}

/** Resolves links; null for a missing path. Throws the system's other errors. */
export function realPathIfExists(path: string): string | null {
  try {
    return realpathSync(path)
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

/** Returns the target of a link; null for anything else and for what cannot be examined. */
export function linkTarget(path: string): string | null {
  return orNull(() =>
    lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true ? readlinkSync(path) : null,
  )
}

/**
 * Returns the owner of a file if that is neither this user nor root; else null. For root the owner of its folder counts
 * too, as homes are handed to containers. `facts`: of the open file.
 */
export function foreignOwner(path: string, facts: { readonly uid: number }): number | null {
  const own = process.getuid?.()
  if (own === undefined || facts.uid === own || facts.uid === 0) return null
  if (own === 0 && statSync(dirname(path), { throwIfNoEntry: false })?.uid === facts.uid) return null
  return facts.uid
}

/** Letters of a name for which all spellings are listed; more give too many. */
const maxLetters = 6

/** Lists the spellings of an existing path on a file system that ignores case; elsewhere only the path itself. */
export function spellings(path: string): string[] {
  const folder = dirname(path)
  const name = basename(path)
  const upper = name.toUpperCase()
  if (upper === name || !isSame(path, join(folder, upper))) return [path]
  return [...new Set([name, ...variantsOf(name), upper])].map((each) => join(folder, each))
}

export function variantsOf(name: string): string[] {
  const letters = [...name]
  if (letters.filter((letter) => letter.toUpperCase() !== letter.toLowerCase()).length > maxLetters) return []
  return letters.reduce<string[]>(
    (starts, letter) => {
      const forms = [...new Set([letter.toLowerCase(), letter.toUpperCase()])]
      return starts.flatMap((start) => forms.map((form) => start + form))
    },
    [''],
  )
}

function isSame(path: string, other: string): boolean {
  const [one, two] = [path, other].map(lookAt)
  return one !== null && two !== null && one?.ino === two?.ino && one?.dev === two?.dev
}

/** Returns the identity of each path that exists. Most secret places do not, and a folder is listed faster than each is tried. */
export function presentAmong(paths: readonly string[]): ReadonlyMap<string, string> {
  const present = new Map<string, string>()
  for (const [folder, within] of namesByFolder(paths)) {
    if (lookAt(folder) === null) continue
    const listed = namesIn(folder)
    const names = listed === null ? null : new Set(listed)
    for (const [name, path] of within) {
      const identity = names === null || names.has(name) ? identityOf(path) : null
      if (identity !== null) present.set(path, identity)
    }
  }
  return present
}

/**
 * Resolves links of each path, most of them missing: one look into a folder answers for all paths in it. A name that
 * differs only by case counts as existing, because some file systems ignore case.
 */
export function realPathsAmong(paths: readonly string[]): readonly string[] {
  const folders = new Map<string, { readonly real: string; readonly names: ReadonlySet<string> | null }>()
  return paths.map((path) => {
    const folder = dirname(path)
    const known = folders.get(folder) ?? { real: followLinks(folder).real, names: foldedNamesIn(folder) }
    folders.set(folder, known)
    const name = basename(path)
    const mayExist = known.names?.has(folded(name)) ?? true
    return mayExist ? followLinks(path).real : join(known.real, name)
  })
}

function foldedNamesIn(folder: string): ReadonlySet<string> | null {
  const names = listedNames(folder)
  return names === null ? null : new Set(names.map(folded))
}

/** Returns the names in a folder, an empty list for a missing one; null where they cannot be listed. */
export function listedNames(folder: string): readonly string[] | null {
  try {
    return readdirSync(folder)
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? [] : null
  }
}

function folded(name: string): string {
  return name.normalize('NFC').toLowerCase()
}

type PathsByName = readonly (readonly [name: string, path: string])[]

/** Groups of the lists in use: each command goes through its list twice, and the lists are long. */
const grouped = new WeakMap<readonly string[], ReadonlyMap<string, PathsByName>>()

function namesByFolder(paths: readonly string[]): ReadonlyMap<string, PathsByName> {
  const known = grouped.get(paths)
  if (known !== undefined) return known
  const groups = new Map<string, (readonly [string, string])[]>()
  for (const path of paths) {
    const end = path.lastIndexOf('/')
    const folder = path.slice(0, Math.max(end, 1))
    const group = groups.get(folder)
    const entry = [path.slice(end + 1), path] as const
    if (group === undefined) groups.set(folder, [entry])
    else group.push(entry)
  }
  grouped.set(paths, groups)
  return groups
}
