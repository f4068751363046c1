import { dirname } from 'node:path'
import type { TimeSlices } from '@parley/host'
import { type IgnoreRules, isIgnored } from '../look-up/read-folder.ts'
import { type FolderList, listFolder, lookAt, rulesAbove, stampOf } from './list-folder.ts'
import { createTrackedIgnored } from './tracked-ignored.ts'

interface KnownFolder {
  /** Value that changes with the names; null for a folder that has just changed, which is listed again. */
  readonly stamp: string | null
  readonly above: IgnoreRules
  /** Rules of the folder itself and above. */
  readonly rules: IgnoreRules
  readonly ruleStamp: string
  /** True where its own files are too many and left out; files in its subfolders are not. */
  readonly isLeftOut: boolean
}

/** Paths that were found by a look at the folders. */
interface FoundPaths {
  /** Files in the folders that were listed anew; known ones among them. */
  readonly listed: readonly string[]
  /** True when all folders were listed, so that a known file which is not among them is ignored or gone. */
  readonly isWhole: boolean
  /** Tests if a file would have been found before, had it been there: it was not ignored. */
  readonly wasShown: (path: string) => boolean
}

/** Limits of a look. Other tasks run between folders. */
interface ScanLimits {
  readonly slices: TimeSlices
  readonly maxFiles: number
  /** Tests if a file was found by an earlier look. */
  readonly isWatched: (path: string) => boolean
}

/** Folders of a workspace that are not ignored. */
export interface FolderTree {
  /** Folders with too many files of their own, which are left out. */
  leftOut(): readonly string[]
  /**
   * Lists the folders that may have other names since the last look; all folders after a change of the ignore rules.
   * Null when more than `maxFiles` files are found.
   */
  look(limits: ScanLimits): Promise<FoundPaths | null>
  /** Makes the next look list everything. */
  forget(): void
}

type FolderToScan = readonly [folder: string, above: IgnoreRules]

interface TreeParts {
  readonly roots: readonly string[]
  readonly isShown: (path: string) => boolean
  /** Limit of files directly in one folder; beyond it, that folder's files are left out. */
  readonly maxInFolder: number
}

export function createFolderTree({ roots, isShown, maxInFolder }: TreeParts): FolderTree {
  const known = new Map<string, KnownFolder>()
  const { walk, listAgain } = createWalker({ known, isShown, maxInFolder })
  const tracked = createTrackedIgnored(roots)
  const noLongerLeftOut = new Set<string>()
  let isStale = true

  async function walkAll(limits: ScanLimits): Promise<FoundPaths | null> {
    const before = new Map(known)
    known.clear()
    isStale = false
    const listed = await walk(
      roots.map((root) => [root, rulesAbove(root)] as const),
      limits,
    )
    return listed === null ? null : { listed, isWhole: true, wasShown: (path) => wasShownIn(before, path) }
  }

  /** Lists what may have changed in a known folder; null when everything is to be listed. */
  async function lookAtKnown(
    folder: string,
    before: KnownFolder,
    limits: ScanLimits,
  ): Promise<readonly string[] | null> {
    const stats = lookAt(folder)
    if (stats?.isDirectory() !== true) {
      known.delete(folder)
      return []
    }
    if (before.stamp !== null && before.stamp === stampOf(stats)) return []
    const found = await listAgain(folder, before, limits)
    if (before.isLeftOut && known.get(folder)?.isLeftOut === false) noLongerLeftOut.add(folder)
    // The whole listing that follows tells by the earlier rules which files were shown.
    if (found === null) known.set(folder, before)
    return found
  }

  async function lookAtFolders(limits: ScanLimits): Promise<FoundPaths | null> {
    if (isStale) return walkAll(limits)
    const listed: string[] = []
    noLongerLeftOut.clear()
    for (const [folder, before] of [...known]) {
      const found = await lookAtKnown(folder, before, limits)
      if (found === null) return walkAll(limits)
      for (const path of found) listed.push(path)
      if (limits.slices.isOver()) await limits.slices.next()
    }
    return { listed, isWhole: false, wasShown: (path) => !noLongerLeftOut.has(dirname(path)) }
  }

  /** Adds what git tracks although a rule names it. */
  function withTracked({ listed, isWhole, wasShown }: FoundPaths, { isWatched }: ScanLimits): FoundPaths {
    const before = tracked.paths
    const found = new Set(listed)
    // What git tracks no more is left out by the next look, which lists everything.
    isStale = tracked.look((path) => found.has(path) || isLeftOutIn(known, path) || (!isWhole && isWatched(path)))
    const more = [...tracked.paths].filter((path) => isShown(path) && !found.has(path))
    const isMore = new Set(more)
    return {
      listed: [...listed, ...more],
      isWhole,
      wasShown: (path) => before.has(path) || (!isMore.has(path) && wasShown(path)),
    }
  }

  return {
    async look(limits) {
      const found = await lookAtFolders(limits)
      return found === null ? null : withTracked(found, limits)
    },
    forget() {
      isStale = true
    },
    leftOut: () => [...known.keys()].filter((folder) => known.get(folder)?.isLeftOut === true),
  }
}

function createWalker({
  known,
  isShown,
  maxInFolder,
}: Omit<TreeParts, 'roots'> & { readonly known: Map<string, KnownFolder> }) {
  /** Lists a folder and notes it; null when it cannot be read. */
  function read([folder, above]: FolderToScan): FolderList | null {
    const stats = lookAt(folder)
    if (stats?.isDirectory() !== true) return null
    try {
      const { files, ...list } = listFolder(folder, above, maxInFolder)
      const isLeftOut = files.length > maxInFolder
      const { rules, ruleStamp } = list
      known.set(folder, { stamp: stampOf(stats), above, rules, ruleStamp, isLeftOut })
      return { ...list, files: isLeftOut ? [] : files }
    } catch {
      return null
    }
  }

  /** Lists folders with all below them; null beyond the limit. */
  async function walk(start: readonly FolderToScan[], { slices, maxFiles }: ScanLimits): Promise<string[] | null> {
    const found: string[] = []
    const waiting = [...start]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { files = [], folders = [], rules = [] } = read(next) ?? {}
      for (const path of files.filter(isShown)) found.push(path)
      for (const start of folders.filter(isShown).map((folder) => [folder, rules] as const)) waiting.push(start)
      if (found.length > maxFiles || known.size > maxFiles) return null
      if (slices.isOver()) await slices.next()
    }
    return found
  }

  /** Lists a folder again with new folders below it; null when the ignore rules have changed, or beyond the limit. */
  async function listAgain(
    folder: string,
    { above, ruleStamp }: KnownFolder,
    limits: ScanLimits,
  ): Promise<string[] | null> {
    const list = read([folder, above])
    if (list === null) return []
    if (list.ruleStamp !== ruleStamp) return null
    const fresh = list.folders.filter((path) => !known.has(path) && isShown(path))
    const below = await walk(
      fresh.map((path) => [path, list.rules] as const),
      limits,
    )
    return below === null ? null : [...list.files.filter(isShown), ...below]
  }

  return { walk, listAgain }
}

function isLeftOutIn(known: ReadonlyMap<string, KnownFolder>, path: string): boolean {
  return known.get(dirname(path))?.isLeftOut === true
}

/** Tests by the rules of earlier folders if a file would have been found. */
function wasShownIn(before: ReadonlyMap<string, KnownFolder>, path: string): boolean {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const known = before.get(folder)
    if (known !== undefined)
      return !(known.isLeftOut && folder === dirname(path)) && !isIgnored(known.rules, path, false)
  }
  return false
}
