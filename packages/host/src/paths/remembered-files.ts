import { constants, fstatSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { orNull } from '@parley/text'
import { isGitFolder } from '../git/repositories.ts'
import { entriesIn } from '../system/list-folder.ts'
import { withUnlocked } from '../system/locked-files.ts'
import { followLinks, isWithin, lookAt } from '../system/real-path.ts'
import { hookNames } from './guarded-names.ts'

/** Files at a guarded path, by their paths below it, '' for the path itself; null where there is too much to remember. */
export type RememberedFiles = ReadonlyMap<string, RememberedFile> | null

export interface RememberedFile {
  /** Content; of a link its target. */
  readonly bytes: Buffer
  readonly isLink: boolean
  readonly mode: number
  /** True when the file has other names, which can be written past every mount. */
  readonly isShared: boolean
}

const maxFiles = 64
const maxBytes = 1024 * 1024

/** Reads the files and links at a path that decide what runs. */
export function rememberFiles(path: string): RememberedFiles {
  const names = filesAt(path)
  if (names === null || names.length > maxFiles) return null
  const found = new Map<string, RememberedFile>()
  let left = maxBytes
  for (const name of names) {
    const read = fileAt(placeOf(path, name), left)
    if (read === 'missing') continue
    if (read === null) return null
    found.set(name, read)
    left -= read.bytes.length
  }
  return found
}

/** Lists the remembered files that are others now, and new ones. A missing one is not among them: nothing runs from it. */
export function differingFiles(path: string, before: ReadonlyMap<string, RememberedFile>): string[] {
  return namesNow(path, before).filter((name) => differs(placeOf(path, name), before.get(name)))
}

/** Lists the differing files that can be written past a closed path: by further names, or through links. */
export function filesOpenElsewhere(
  path: string,
  before: ReadonlyMap<string, RememberedFile>,
  roots: readonly string[],
): string[] {
  return namesNow(path, before).filter((name) => {
    const [place, file] = [placeOf(path, name), before.get(name)]
    return (file?.isShared === true || isOpenElsewhere(place, file, roots)) && differs(place, file)
  })
}

/** Returns true for a file that has got further names, and for a link into a writable folder to other content. */
function isOpenElsewhere(place: string, before: RememberedFile | undefined, roots: readonly string[]): boolean {
  const stat = lookAt(place)
  if (stat?.isSymbolicLink() !== true) return stat?.isFile() === true && stat.nlink > 1n
  const { real } = followLinks(place)
  return roots.some((root) => isWithin(real, root)) && (before === undefined || differs(real, before))
}

function namesNow(path: string, before: ReadonlyMap<string, RememberedFile>): readonly string[] {
  return [...new Set([...before.keys(), ...(before.has('') ? [''] : (filesAt(path) ?? []))])]
}

function differs(path: string, before: RememberedFile | undefined): boolean {
  const stat = lookAt(path)
  if (stat === null) return false
  if (before === undefined) return true
  if (before.isLink || !stat.isFile()) return !(before.isLink && targetOf(path)?.equals(before.bytes) === true)
  return Number(stat.size) !== before.bytes.length || bytesAt(path)?.equals(before.bytes) !== true
}

/** Returns the path of a remembered file. */
export function placeOf(path: string, name: string): string {
  return name === '' ? path : join(path, name)
}

/** Entries that are looked at in one folder and below. */
const maxEntries = 300
const maxDepth = 3

/** Lists the files and links at a path that decide what runs; null for a folder with too many. */
function filesAt(path: string): string[] | null {
  if (lookAt(path)?.isDirectory() !== true) return ['']
  const budget = { entries: maxEntries }
  const names = isGitFolder(path) ? filesOfRepository(path, '', budget) : filesBelow(path, '', { depth: 0, budget })
  return budget.entries < 0 ? null : names
}

interface Budget {
  entries: number
}

const hooks: ReadonlySet<string> = new Set(hookNames)

/** Lists settings and hooks of a repository, and of its submodules and work trees. */
function filesOfRepository(top: string, below: string, budget: Budget): string[] {
  const at = (name: string) => join(below, name)
  const held = ['modules', 'worktrees'].flatMap((kind) =>
    (entriesIn(join(top, at(kind))) ?? []).map(({ name }) => at(`${kind}/${name}`)),
  )
  budget.entries -= held.length
  return [
    ...['config', 'config.worktree', 'commondir'].map(at).filter((name) => lookAt(join(top, name)) !== null),
    ...(entriesIn(join(top, at('hooks'))) ?? []).flatMap(({ name }) => (hooks.has(name) ? [at(`hooks/${name}`)] : [])),
    ...held.flatMap((name) => (budget.entries < 0 ? [] : filesOfRepository(top, name, budget))),
  ]
}

function filesBelow(top: string, below: string, { depth, budget }: { depth: number; budget: Budget }): string[] {
  const entries = entriesIn(join(top, below)) ?? []
  budget.entries -= entries.length
  if (budget.entries < 0) return []
  return entries.flatMap((entry) => {
    const name = join(below, entry.name)
    if (entry.isDirectory()) return depth === maxDepth ? [] : filesBelow(top, name, { depth: depth + 1, budget })
    return entry.isFile() || entry.isSymbolicLink() ? [name] : []
  })
}

const known = new Map<string, RememberedFile & { readonly stamp: string }>()
const maxKnown = 500
/** Larger files are read before each command. */
const maxKnownBytes = 64 * 1024

/** Reads a file, or again once it has changed; null where it is larger than `left`. */
function fileAt(path: string, left: number): RememberedFile | 'missing' | null {
  const stat = lookAt(path)
  if (stat === null) return 'missing'
  if (Number(stat.size) > left) return null
  const stamp = `${stat.dev} ${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`
  const last = known.get(path)
  if (last?.stamp === stamp) return last
  const isLink = stat.isSymbolicLink()
  const bytes = isLink ? targetOf(path) : bytesAt(path)
  if (bytes === null) return 'missing'
  const read = { bytes, isLink, mode: Number(stat.mode) & 0o777, isShared: !isLink && stat.nlink > 1n, stamp }
  known.delete(path)
  if (bytes.length <= maxKnownBytes) known.set(path, read)
  for (const oldest of known.keys()) if (known.size > maxKnown) known.delete(oldest)
  return read
}

/** Reads a regular file; null for anything else. */
function bytesAt(path: string): Buffer | null {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  return orNull(() => withUnlocked(path, flags, (fd) => (fstatSync(fd).isFile() ? readFileSync(fd) : null)))
}

function targetOf(path: string): Buffer | null {
  return orNull(() => readlinkSync(path, 'buffer'))
}
