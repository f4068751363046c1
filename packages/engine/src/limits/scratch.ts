import { chmodSync, constants, lstatSync, mkdirSync, renameSync, type Stats } from 'node:fs'
import { chmod, type FileHandle, lstat, opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { openUnlockedHandle } from '@parley/host'
import {
  type Files,
  finishDeletions,
  isConversationId,
  isRunning,
  readOwner,
  StorageError,
  scratchFolder,
  sessionPaths,
  sweepUnfinished,
} from '@parley/journal'
import { errorCode, isMissing } from '@parley/text'
import { removeTree } from '@parley/workspace'

/** Folder that sandboxed commands of one conversation see as /tmp, kept from one command to the next. */
export interface Scratch {
  /** Resolves to its path; makes it when first needed, and empties it where it is too large and nothing runs in it. */
  ready(): Promise<string>
  /** Measures its size in the background, for the next `ready`. */
  measure(): void
  /** Measures it while a command runs; calls `onExceeded` once above the quota. Returns a function that ends that. */
  watch(onExceeded: () => void): () => void
  /** Removes it. Nothing may still run in it. */
  remove(): Promise<void>
}

interface ScratchParts {
  readonly folder: string
  /** Returns true while a background command uses it. */
  readonly isInUse: () => boolean
  readonly onEmptied: () => void
  /** Size above which it is emptied; 1 GiB by default. */
  readonly maxBytes?: number
  /** Size that running commands may not exceed; 4 GiB by default. The disk also holds the logs. */
  readonly quotaBytes?: number
  /** Time between two measurements while a command runs, in ms. */
  readonly everyMs?: number
}

const usualMaxBytes = 1024 ** 3
const usualQuotaBytes = 4 * 1024 ** 3
const usualEveryMs = 1000
/** Count of files that running commands may not exceed. */
const quotaEntries = 500_000
/** Share of the time that measuring may take. */
const measuringShare = 0.1
/** Count of files above which it is emptied: counting more takes too long. */
const maxEntries = 100_000

export function createScratch(parts: ScratchParts): Scratch {
  const { folder, isInUse, onEmptied, maxBytes = usualMaxBytes } = parts
  let exists = false
  let isTooLarge = false
  let measuring: Promise<void> | null = null

  /** Makes the folder anew, without the rest of a crashed session. */
  async function make(): Promise<void> {
    await removeTree(folder)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    chmodSync(folder, 0o700)
    exists = true
    isTooLarge = false
  }

  return {
    async ready() {
      await measuring
      if (isTooLarge && !isInUse()) {
        await make()
        onEmptied()
      }
      if (!exists || !isFolder(folder)) await make()
      return folder
    },
    measure() {
      if (!exists || measuring !== null) return
      measuring = exceeds(folder, { bytes: maxBytes, entries: maxEntries })
        .then((exceeded) => {
          isTooLarge = exceeded
        })
        .finally(() => {
          measuring = null
        })
    },
    watch: (onExceeded) => watchQuota(parts, onExceeded),
    async remove() {
      await measuring
      if (exists) await removeTree(folder)
      exists = false
    },
  }
}

function watchQuota(
  { folder, quotaBytes = usualQuotaBytes, everyMs = usualEveryMs }: ScratchParts,
  onExceeded: () => void,
): () => void {
  let timer: NodeJS.Timeout | null = null
  let isOver = false
  const look = async () => {
    const startedMs = performance.now()
    if (await exceeds(folder, { bytes: quotaBytes, entries: quotaEntries })) {
      if (!isOver) onExceeded()
      return
    }
    wait(Math.max(everyMs, (performance.now() - startedMs) / measuringShare))
  }
  const wait = (ms: number) => {
    if (!isOver) timer = setTimeout(look, ms).unref()
  }
  wait(everyMs)
  return () => {
    isOver = true
    if (timer !== null) clearTimeout(timer)
  }
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

const { O_DIRECTORY, O_NOFOLLOW } = constants
/** Linux flag that opens a folder without any permission for it; Node does not name it. */
const O_PATH = 0o10000000
/** Depth of folders above which a tree counts as too large: each level needs a descriptor. */
const maxDepth = 128

/** Rest of a quota on bytes and entries; both numbers fall while a tree is measured. */
interface Quota {
  bytes: number
  entries: number
}

/**
 * Resolves to true once size or count is used up. Follows no link. A folder that cannot be measured counts as too large:
 * a command could hide its files there.
 */
async function exceeds(folder: string, left: Quota): Promise<boolean> {
  try {
    return await isFolderTooLarge(folder, left, 0)
  } catch (error) {
    return !isMissing(error)
  }
}

/** Measures a folder through its descriptor, so that no path gets too long and no link can divert it. Linux only. */
async function isHeldTooLarge(path: string, left: Quota, depth: number): Promise<boolean> {
  if (depth > maxDepth) return true
  await using folder = await openUnlockedHandle(path, O_PATH | O_DIRECTORY | O_NOFOLLOW)
  const name = `/proc/self/fd/${folder.fd}`
  try {
    return await isTooLarge(name, left, depth)
  } catch (error) {
    if (!isDenied(error)) throw error
    return await isOpenedTooLarge(folder, left, depth)
  }
}

/** Measures a folder that its owner may not list: gives the right to list it for that time. */
async function isOpenedTooLarge(folder: FileHandle, left: Quota, depth: number): Promise<boolean> {
  const name = `/proc/self/fd/${folder.fd}`
  const mode = (await folder.stat()).mode & 0o7777
  await chmod(name, mode | 0o500)
  try {
    return await isTooLarge(name, left, depth)
  } catch (error) {
    // Closed again meanwhile.
    if (isDenied(error)) return true
    throw error
  } finally {
    await chmod(name, mode)
  }
}

async function isTooLarge(folder: string, left: Quota, depth: number): Promise<boolean> {
  for await (const { name } of await opendir(folder)) {
    const path = join(folder, name)
    const stats = await statsOf(path)
    left.entries -= 1
    left.bytes -= (stats?.blocks ?? 0) * 512
    if (left.bytes < 0 || left.entries < 0) return true
    if (stats?.isDirectory() === true && (await isInnerTooLarge(path, left, depth + 1))) return true
  }
  return false
}

function isFolderTooLarge(path: string, left: Quota, depth: number): Promise<boolean> {
  return process.platform === 'linux' ? isHeldTooLarge(path, left, depth) : isTooLarge(path, left, depth)
}

async function isInnerTooLarge(path: string, left: Quota, depth: number): Promise<boolean> {
  try {
    return await isFolderTooLarge(path, left, depth)
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

async function statsOf(path: string): Promise<Stats | null> {
  try {
    return await lstat(path)
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

function isDenied(error: unknown): boolean {
  return errorCode(error) === 'EACCES'
}

const sweptSuffix = '.swept'

/** Finishes work of a killed server or a failed disk: deletions of conversations, and their scratch folders. */
export async function sweepLeftovers(files: Files, home: string): Promise<void> {
  await finishDeletions(files, home)
  sweepUnfinished(files, home, Date.now())
  await sweepScratch(files, home)
}

/**
 * Removes the /tmp folders that crashed servers left; folders of running owners stay. Renames each one first, as its
 * conversation can be resumed and get a new /tmp while a large one is still being removed.
 */
export async function sweepScratch(files: Files, home: string): Promise<void> {
  const folder = scratchFolder(home)
  const stale = namesIn(files, folder).filter((name) => isSwept(name) || isStale(files, home, name))
  for (const path of stale.map((name) => setAside(join(folder, name)))) await removeTree(path)
}

function isSwept(name: string): boolean {
  return name.endsWith(sweptSuffix) && isConversationId(name.slice(0, -sweptSuffix.length))
}

function setAside(path: string): string {
  const aside = path.endsWith(sweptSuffix) ? path : `${path}${sweptSuffix}`
  try {
    if (path !== aside) renameSync(path, aside)
  } catch {
    // An interrupted sweep left a renamed one, which is removed now; this one is removed at the next start.
  }
  return aside
}

function namesIn(files: Files, folder: string): readonly string[] {
  try {
    return files.look(folder)?.kind === 'folder' ? files.list(folder) : []
  } catch (error) {
    if (error instanceof StorageError) return []
    throw error
  }
}

/** Returns false for names that are no conversation's, and where the owner cannot be read. */
function isStale(files: Files, home: string, name: string): boolean {
  const paths = isConversationId(name) ? sessionPaths(home, name) : null
  if (paths === null) return false
  try {
    const owner = readOwner(files, paths.owner)
    return owner === null || !isRunning(owner)
  } catch (error) {
    if (error instanceof StorageError) return false
    throw error
  }
}
