import { type Dirent, lstatSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

interface Known {
  readonly found: FoundRepositories
  /** Device and inode of each path. A replaced folder or file may have moved to where it is not known. */
  readonly identities: ReadonlyMap<string, string>
  readonly atMs: number
}

const freshMs = 10_000
const maxKnown = 16

const known = new Map<string, Known>()
const searches = new Map<string, Promise<Known>>()

/**
 * Returns the repositories below a folder. A search takes too long to wait for it before each command, so the last one
 * is used while the next runs; but not once something of it is gone, which may then have another name.
 */
export async function knownRepositories(root: string): Promise<FoundRepositories> {
  const last = known.get(root)
  if (last === undefined || !pathsOf(last.found).every((path) => isUnchanged(path, last))) {
    return (await search(root)).found
  }
  if (performance.now() - last.atMs > freshMs) void search(root).catch(() => undefined)
  return last.found
}

function search(root: string): Promise<Known> {
  const running = searches.get(root) ?? begin(root).finally(() => searches.delete(root))
  searches.set(root, running)
  return running
}

async function begin(root: string): Promise<Known> {
  const found = withEarlier(await findRepositories(root), known.get(root))
  const identities = new Map(pathsOf(found).map((path) => [path, identityOf(path)]))
  const result = { found, identities, atMs: performance.now() }
  known.delete(root)
  known.set(root, result)
  for (const oldest of known.keys()) if (known.size > maxKnown) known.delete(oldest)
  return result
}

/** Adds what an earlier search found: a search ends at a limit of folders, which commands could exhaust. */
function withEarlier(found: FoundRepositories, earlier: Known | undefined): FoundRepositories {
  if (earlier === undefined) return found
  const still = (paths: readonly string[]) => paths.filter((path) => isUnchanged(path, earlier))
  return {
    entries: [...new Set([...found.entries, ...still(earlier.found.entries)])],
    bare: [...new Set([...found.bare, ...still(earlier.found.bare)])],
  }
}

function pathsOf({ entries, bare }: FoundRepositories): string[] {
  return [...entries, ...bare]
}

function isUnchanged(path: string, { identities }: Known): boolean {
  const identity = identityOf(path)
  return identity !== '' && identity === identities.get(path)
}

/** Returns device and inode; the empty text for a missing path. */
function identityOf(path: string): string {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  return stat === undefined ? '' : `${stat.dev} ${stat.ino}`
}

/** Folders of packages, builds and caches: large, and not edited by hand. */
const skipped = new Set(['node_modules', '.git', '.venv', 'venv', '__pycache__', '.cache', 'target', '.next', '.turbo'])

const maxDepth = 6
const maxFolders = 3000
/** Folders listed at a time. */
const width = 16

export interface FoundRepositories {
  /** Entries named `.git` below the folder, its own not among them. */
  readonly entries: readonly string[]
  /** Folders that are bare repositories. */
  readonly bare: readonly string[]
}

/** Looks for repositories below a folder, the shallow ones first, as far as a limit of depth and number. */
async function findRepositories(root: string): Promise<FoundRepositories> {
  const entries: string[] = []
  const bare: string[] = []
  let level = [root]
  let left = maxFolders
  for (let depth = 0; depth <= maxDepth && level.length > 0 && left > 0; depth += 1) {
    const next: string[] = []
    const looked = level.slice(0, left)
    left -= looked.length
    for (let at = 0; at < looked.length; at += width) {
      for (const { folder, listed } of await Promise.all(looked.slice(at, at + width).map(list))) {
        if (folder !== root && listed.some(({ name }) => name === '.git')) entries.push(join(folder, '.git'))
        if (folder !== root && isBare(listed)) bare.push(folder)
        else next.push(...foldersOf(folder, listed))
      }
    }
    level = next
  }
  return { entries, bare }
}

/** Returns true for the three entries by which git takes any folder for a repository. */
export function isBare(listed: readonly Pick<Dirent, 'name'>[]): boolean {
  return ['HEAD', 'objects', 'refs'].every((wanted) => listed.some(({ name }) => name === wanted))
}

function foldersOf(folder: string, listed: readonly Dirent[]): string[] {
  return listed.filter((entry) => entry.isDirectory() && !skipped.has(entry.name)).map(({ name }) => join(folder, name))
}

async function list(folder: string): Promise<{ folder: string; listed: Dirent[] }> {
  return { folder, listed: await readdir(folder, { withFileTypes: true }).catch(() => []) }
}
