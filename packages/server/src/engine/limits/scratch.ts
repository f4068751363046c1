import { chmodSync, lstatSync, mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Files,
  isConversationId,
  isRunning,
  readOwner,
  StorageError,
  scratchFolder,
  sessionPaths,
} from '@parley/journal'
import { removeTree } from '@parley/workspace'
import { exceeds } from './tree-size.ts'

/** Folder that sandboxed commands of one conversation see as /tmp, kept from one command to the next. */
export interface Scratch {
  /** Resolves to its path, making it when first needed. Empties it first if it is too large and nothing runs in it. */
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
  let made = false
  let isTooLarge = false
  let measuring: Promise<void> | null = null

  /** Makes it anew, without the rest of a crashed session. */
  async function make(): Promise<void> {
    await removeTree(folder)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    chmodSync(folder, 0o700)
    made = true
    isTooLarge = false
  }

  return {
    async ready() {
      await measuring
      if (isTooLarge && !isInUse()) {
        await make()
        onEmptied()
      }
      if (!made || !isFolder(folder)) await make()
      return folder
    },
    measure() {
      if (!made || measuring !== null) return
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
      if (made) await removeTree(folder)
      made = false
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

const sweptSuffix = '.swept'

/**
 * Removes the /tmp folders that crashed servers left; those of running owners stay. Renames each one first, as its
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
