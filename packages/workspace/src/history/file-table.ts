import type { Stats } from 'node:fs'
import { type TimeSlices, timeSlices } from '@parley/host'
import type { ChangedPath, PathContent } from '@parley/protocol'
import { isSecret, type SecretPaths } from '../files/secret-paths.ts'
import type { ContentStore } from './content-store.ts'
import { createFolderTree } from './folder-tree.ts'
import { isRuleFile, lookAt } from './list-folder.ts'
import { unread } from './read-content.ts'
import { createWatchedFiles, isAsSeen, isSame, type WatchedFile, type WatchedFiles } from './watched-file.ts'

/** Most files that are watched; a look at more would take too long after each command. */
export const maxWatchedFiles = 50_000
/** Most files of one folder that are watched: one with more holds data, and would switch off the history of the rest. */
export const maxWatchedInFolder = 25_000
/** Most bytes of contents that are kept before commands change them. */
const maxKeptBytes = 200 * 1024 * 1024

interface TableParts {
  /** Real paths of the watched folders; they do not contain each other. */
  readonly roots: readonly string[]
  readonly store: ContentStore
  readonly secrets: SecretPaths
  readonly maxFiles?: number
  readonly maxInFolder?: number
  readonly maxBytes?: number
}

/** Table of the files of a workspace that are not ignored, to find changes. One look at a time. */
export interface FileTable {
  readonly files: ReadonlyMap<string, WatchedFile>
  /** Folders with too many files to watch. */
  leftOut(): readonly string[]
  /**
   * Looks at all files. Returns the files that changed since the last look, an empty list the first time; null when
   * there are too many to watch. A file that merely is no longer ignored did not change.
   */
  look(): Promise<readonly ChangedPath[] | null>
  /** Reads and keeps unread contents, until all are kept or `signal` aborts. */
  keep(signal: AbortSignal): Promise<void>
  /** Takes over the contents that an earlier table knew, for files that look the same. */
  adopt(earlier: ReadonlyMap<string, WatchedFile>): void
}

export function createFileTable(parts: TableParts): FileTable {
  const { store, secrets, maxFiles = maxWatchedFiles, maxInFolder = maxWatchedInFolder } = parts
  const files = createWatchedFiles(store, parts.maxBytes ?? maxKeptBytes)
  const tree = createFolderTree({ roots: parts.roots, isShown: (path) => !isSecret(path, secrets), maxInFolder })
  let isFirst = true
  /** Ends before the next look: a waiting look comes before contents that are only kept. */
  let looked: Promise<unknown> = Promise.resolve()

  async function lookAtKnown(slices: TimeSlices): Promise<ChangedPath[]> {
    const changes: ChangedPath[] = []
    for (const [path, known] of files.all) {
      const change = changeOf(path, known, files)
      if (change !== null) changes.push(change)
      if (slices.isOver()) await slices.next()
    }
    return changes
  }

  function takeNew(path: string, wasShown: (path: string) => boolean): ChangedPath | null {
    const stats = fileAt(path)
    if (stats === null) return null
    if (!isFirst) {
      const after = files.read(path, stats)
      return wasShown(path) ? { path, before: null, after } : null
    }
    files.note(path, stats)
    return null
  }

  async function lookForNew(slices: TimeSlices): Promise<readonly ChangedPath[] | null> {
    const found = await tree.look({ slices, maxFiles, isWatched: (path) => files.all.has(path) })
    if (found === null) return null
    const { listed, isWhole, wasShown } = found
    if (isWhole) dropIgnored(files, listed)
    const changes: ChangedPath[] = []
    for (const path of listed) {
      const change = files.all.has(path) ? null : takeNew(path, wasShown)
      if (change !== null) changes.push(change)
      if (slices.isOver()) await slices.next()
    }
    return changes
  }

  async function look(): Promise<readonly ChangedPath[] | null> {
    const slices = timeSlices()
    const changes = await lookAtKnown(slices)
    if (changes.some(({ path }) => isRuleFile(path))) tree.forget()
    const added = await lookForNew(slices)
    isFirst = false
    return added === null || files.all.size > maxFiles ? null : [...changes, ...added]
  }

  return {
    files: files.all,
    leftOut: tree.leftOut,
    look() {
      const found = look()
      looked = found.catch(() => undefined)
      return found
    },
    async keep(signal) {
      const slices = timeSlices()
      for (const [path, known] of files.all) {
        if (signal.aborted) return
        const stats = known.content === null ? fileAt(path) : null
        // The next look finds a file that has changed meanwhile.
        if (stats !== null && isAsSeen(known, stats)) files.read(path, stats)
        if (!slices.isOver()) continue
        await slices.next()
        await looked
      }
    },
    adopt(earlier) {
      for (const [path, known] of files.all) {
        const before = earlier.get(path)
        const hash = before?.content?.hash
        if (before === undefined || hash === undefined || known.content !== null) continue
        if (isSame(before, known) && store.has(hash, known.sizeBytes)) files.adopt(path, before)
      }
    },
  }
}

/** Returns how a file changed since the last look; null for one that did not. */
function changeOf(path: string, known: WatchedFile, files: WatchedFiles): ChangedPath | null {
  const stats = fileAt(path)
  const before = known.content ?? unread(known.mode, known.isLink)
  if (stats === null) {
    files.forget(path)
    return { path, before, after: null }
  }
  // `keep` reads files whose content is not known yet.
  if (isAsSeen(known, stats) && (!known.isFresh || known.content === null)) return null
  const after = files.read(path, stats)
  return isEqual(before, after) ? null : { path, before, after }
}

function dropIgnored(files: WatchedFiles, listed: readonly string[]): void {
  const shown = new Set(listed)
  for (const path of files.all.keys()) if (!shown.has(path)) files.forget(path)
}

/** Reads the metadata of a file or link; null for anything else. */
function fileAt(path: string): Stats | null {
  const stats = lookAt(path)
  return stats?.isFile() === true || stats?.isSymbolicLink() === true ? stats : null
}

/** Tests if two contents are the same; false without a hash. */
function isEqual(one: PathContent, other: PathContent): boolean {
  return one.hash !== undefined && one.hash === other.hash && one.mode === other.mode && one.link === other.link
}
