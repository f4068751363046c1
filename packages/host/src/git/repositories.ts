import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { entriesIn, entriesOpened } from '../system/list-folder.ts'
import { identityOf, lookAt } from '../system/real-path.ts'

interface KnownRepositories {
  /** Folders looked into, the shallow ones first. */
  readonly folders: Map<string, ListedFolder>
  /** Identity of each repository found. A replaced one may have moved to where it is not known. */
  readonly identities: Map<string, string>
  /** False when there were more folders than are looked into. */
  readonly isWhole: boolean
  atMs: number
}

interface ListedFolder {
  readonly depth: number
  /** Changes when an entry is made, removed or renamed in the folder; null for one that changed just before. */
  readonly stamp: string | null
  /** Paths of repositories that it holds or is. */
  readonly repositories: readonly string[]
}

const freshMs = 10_000
const maxKnown = 64
/** Folders that are compared before each command, which takes less than a millisecond. */
const comparedFolders = 200

const known = new Map<string, KnownRepositories>()
const searches = new Map<string, Promise<KnownRepositories>>()

/**
 * Returns the repositories below a folder, by the last search and another look into folders that changed: a new search
 * would hold up each command. Searches anew once something found is gone.
 */
export async function knownRepositories(root: string): Promise<FoundRepositories> {
  const last = known.get(root)
  if (last === undefined || ![...last.identities.keys()].every((path) => isUnchanged(path, last)))
    return foundIn(await search(root))
  await lookAgain(last)
  if (performance.now() - last.atMs > freshMs) void search(root).catch(() => undefined)
  return foundIn(last)
}

function search(root: string): Promise<KnownRepositories> {
  const running = searches.get(root) ?? beginSearch(root).finally(() => searches.delete(root))
  searches.set(root, running)
  return running
}

async function beginSearch(root: string): Promise<KnownRepositories> {
  const earlier = known.get(root)
  const folders = new Map<string, ListedFolder>()
  await lookInto([root], { depth: 0, folders }, list)
  const isWhole = folders.size < maxFolders
  const found: KnownRepositories = { folders, identities: new Map(), isWhole, atMs: performance.now() }
  identify(found)
  // A search ends at a limit of folders, which commands could exhaust, so what an earlier one found counts still.
  for (const [path, identity] of earlier?.identities ?? []) {
    if (!found.identities.has(path) && identityOf(path) === identity) found.identities.set(path, identity)
  }
  known.delete(root)
  known.set(root, found)
  for (const oldest of known.keys()) if (known.size > maxKnown) known.delete(oldest)
  return found
}

/** Lists changed folders again, among the compared ones, with new folders below them. */
async function lookAgain(last: KnownRepositories): Promise<void> {
  const changed: [string, number][] = []
  let compared = 0
  for (const [folder, { stamp, depth }] of last.folders) {
    if (compared === comparedFolders) break
    compared += 1
    if (stamp === null || stampOf(folder) !== stamp) changed.push([folder, depth])
  }
  for (const [folder, depth] of changed) {
    if (lookAt(folder) === null) last.folders.delete(folder)
    else await lookInto([folder], { depth, folders: last.folders }, listNow)
  }
  if (changed.length > 0) identify(last)
}

/** Known folders below a root as they were at one moment, whatever is looked into later. */
export interface RememberedFolders {
  readonly looked: ReadonlyMap<string, Pick<ListedFolder, 'stamp'>>
  /** False when there were more than are known. */
  readonly isWhole: boolean
}

export function rememberFolders(root: string): RememberedFolders {
  const last = known.get(root)
  // Dropped from the cache: only the root and new folders below it are listed.
  if (last === undefined) return { looked: new Map([[root, { stamp: null }]]), isWhole: false }
  return { looked: new Map(last.folders), isWhole: last.isWhole }
}

/** Folders with entries that changed while something ran. */
export interface ChangedFolders {
  /** New ones among them, with all below. */
  readonly folders: readonly ChangedFolder[]
  /** Folders with entries that could not be looked into: they may not be read, or their names are no UTF-8. */
  readonly closed: readonly string[]
  /** False when more were made than are looked into. */
  readonly isWhole: boolean
}

export interface ChangedFolder {
  readonly folder: string
  /** True for a folder that was made, or got this name. */
  readonly isNew: boolean
  readonly entries: readonly Pick<Dirent, 'name'>[]
}

/** Folders that are looked into at once. */
const maxChanged = 20_000

/**
 * Lists the remembered folders with changed entries, and new folders below them, however deep. `sinceMs` tells new ones
 * where not all are known. `open` opens a folder that cannot be listed; true if another try may succeed.
 */
export function changedFolders(
  { looked, isWhole }: RememberedFolders,
  { sinceMs, open }: { readonly sinceMs: number; readonly open: (folder: string) => boolean },
): ChangedFolders {
  const left: Omit<ChangedFolder, 'entries'>[] = []
  for (const [folder, { stamp }] of looked)
    if (stamp === null || stampOf(folder) !== stamp) left.push({ folder, isNew: false })
  const found: ChangedFolder[] = []
  const closed: string[] = []
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { folder, isNew } = next
    const { entries, isClosed } = opened(folder, open)
    if (isClosed) closed.push(folder)
    found.push({ folder, entries, isNew })
    if (found.length > maxChanged) return { folders: found, closed, isWhole: false }
    for (const below of foldersOf(folder, entries)) {
      if (looked.has(below)) continue
      if (next.isNew || isWhole || changedMs(below) >= sinceMs) left.push({ folder: below, isNew: true })
    }
  }
  return { folders: found, closed, isWhole: true }
}

/** Lists a folder, which is opened where it must be. */
function opened(folder: string, open: (folder: string) => boolean) {
  const entries = entriesOpened(folder, open)
  const isClosed = entries === null ? lookAt(folder) !== null : hasOddNames(folder, entries)
  return { entries: entries ?? [], isClosed }
}

/** Tells whether a folder has names that are no UTF-8, which Node changes as it lists them. */
function hasOddNames(folder: string, entries: readonly Pick<Dirent, 'name'>[]): boolean {
  return entries.some(({ name }) => name.includes('\ufffd') && lookAt(join(folder, name)) === null)
}

/** Returns when an entry was last changed, made or renamed; 0 for a missing one. */
export function changedMs(path: string): number {
  return Number(lookAt(path)?.ctimeMs ?? 0)
}

/** Returns the identities of the repositories below a root by the last search. */
export function repositoryIdentities(root: string): ReadonlyMap<string, string> {
  return new Map(known.get(root)?.identities)
}

function identify({ folders, identities }: KnownRepositories): void {
  for (const { repositories } of folders.values()) {
    for (const path of repositories) {
      const identity = identityOf(path)
      if (identity !== null) identities.set(path, identity)
    }
  }
}

function foundIn({ identities }: KnownRepositories): FoundRepositories {
  const paths = [...identities.keys()]
  const isEntry = (path: string) => path.endsWith('/.git')
  return { entries: paths.filter(isEntry), bare: paths.filter((path) => !isEntry(path)) }
}

function isUnchanged(path: string, { identities }: KnownRepositories): boolean {
  const identity = identityOf(path)
  return identity !== null && identity === identities.get(path)
}

/** Time within which another change may leave the times of a folder as they are. */
const clockStepMs = 30

/**
 * Returns null for a folder that changed just now. Uses ctime, which no program can set, unlike the times of its
 * entries.
 */
function stampOf(folder: string): string | null {
  const stat = lookAt(folder)
  if (stat === null) return null
  return Date.now() - Number(stat.ctimeMs) < clockStepMs ? null : `${stat.dev} ${stat.ino} ${stat.ctimeNs}`
}

/** Folders of packages, builds and caches: large, and not edited by hand. */
const skipped = new Set(['node_modules', '.git', '.venv', 'venv', '__pycache__', '.cache', 'target', '.next', '.turbo'])

const maxDepth = 12
const maxFolders = 3000
/** Folders listed at a time. */
const width = 16

export interface FoundRepositories {
  /** Entries named `.git` below the folder, its own not among them. */
  readonly entries: readonly string[]
  /** Folders that are bare repositories. */
  readonly bare: readonly string[]
}

/** Lists folders and their subfolders, shallow ones first, within the limits of depth and number. */
async function lookInto(
  start: readonly string[],
  { depth: startDepth, folders }: { readonly depth: number; readonly folders: Map<string, ListedFolder> },
  listed: (folder: string) => FolderListing | Promise<FolderListing>,
): Promise<void> {
  const tops = new Set(start)
  let level = start
  for (let depth = startDepth; depth <= maxDepth && level.length > 0; depth += 1) {
    let next: readonly string[] = []
    for (let at = 0; at < level.length && folders.size < maxFolders + tops.size; at += width) {
      const looked = await Promise.all(level.slice(at, at + width).map(listed))
      for (const { folder, stamp, entries } of looked) {
        const repositories = depth === 0 ? [] : repositoriesIn(folder, entries)
        folders.set(folder, { depth, stamp, repositories })
        const below = repositories.includes(folder) ? [] : foldersOf(folder, entries)
        next = [...next, ...below.filter((path) => !folders.has(path))]
      }
    }
    level = next
  }
}

function repositoriesIn(folder: string, listed: readonly Dirent[]): string[] {
  const entry = listed.some(({ name }) => name === '.git') ? [join(folder, '.git')] : []
  return isBare(listed) ? [...entry, folder] : entry
}

/** Returns true for a folder with the entries that make any folder a repository for git. */
export function isBare(listed: readonly Pick<Dirent, 'name'>[]): boolean {
  return hasGitEntries((wanted) => listed.some(({ name }) => name === wanted))
}

/** Returns true for the entries of a repository. One with a `commondir`, as of a worktree, has the others elsewhere. */
export function hasGitEntries(has: (name: string) => boolean): boolean {
  return has('HEAD') && (has('commondir') || (has('objects') && has('refs')))
}

/** Returns true for a folder that git takes for a repository. */
export function isGitFolder(folder: string): boolean {
  return hasGitEntries((name) => lookAt(join(folder, name)) !== null)
}

function foldersOf(folder: string, listed: readonly Dirent[]): string[] {
  return listed.filter((entry) => entry.isDirectory() && !skipped.has(entry.name)).map(({ name }) => join(folder, name))
}

interface FolderListing {
  readonly folder: string
  readonly stamp: string | null
  readonly entries: readonly Dirent[]
}

async function list(folder: string): Promise<FolderListing> {
  const stamp = stampOf(folder)
  return { folder, stamp, entries: await readdir(folder, { withFileTypes: true }).catch(() => []) }
}

/** Lists a folder at once: for a few folders that is faster than to wait for another thread. */
function listNow(folder: string): FolderListing {
  const stamp = stampOf(folder)
  return { folder, stamp, entries: entriesIn(folder) ?? [] }
}
