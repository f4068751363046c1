import type { Stats } from 'node:fs'
import type { PathContent } from '@parley/protocol'
import type { ContentStore } from './content-store.ts'
import { hasJustChanged, lookAt } from './list-folder.ts'
import { maxKeptFileBytes, readContent, unread } from './read-content.ts'

/** File as it was at the last look. */
export interface WatchedFile {
  readonly ino: number
  readonly sizeBytes: number
  readonly mtimeMs: number
  readonly ctimeMs: number
  readonly mode: number
  readonly isLink: boolean
  /** Content as it was read; null before that. */
  readonly content: PathContent | null
  /** True when it was read so soon after its last change that another change might not show. */
  readonly isFresh: boolean
}

/** Files by their real paths, with contents up to a limit for all of them. */
export interface WatchedFiles {
  readonly all: ReadonlyMap<string, WatchedFile>
  /** Sets a file without reading it. */
  note(path: string, stats: Stats): void
  /** Reads a content and keeps it, unless it is too large, or all that may be kept is. Returns it. */
  read(path: string, stats: Stats): PathContent
  /** Takes over a file with its content from an earlier table. */
  adopt(path: string, file: WatchedFile): void
  forget(path: string): void
}

export function createWatchedFiles(store: ContentStore, maxBytes: number): WatchedFiles {
  const all = new Map<string, WatchedFile>()
  let keptBytes = 0

  /** Sets a file in its place, so that files can be gone through meanwhile. */
  function set(path: string, file: WatchedFile): void {
    uncount(path)
    if (file.content?.hash !== undefined) keptBytes += file.sizeBytes
    all.set(path, file)
  }

  function uncount(path: string): void {
    const known = all.get(path)
    if (known?.content?.hash !== undefined) keptBytes -= known.sizeBytes
  }

  /** Reads a content; without its hash where the file changes meanwhile. */
  function contentOf(path: string, stats: Stats): PathContent {
    const known = unread(stats.mode, stats.isSymbolicLink())
    if (stats.size > maxKeptFileBytes || keptBytes + stats.size > maxBytes) return known
    const content = readContent(path, stats, store)
    const now = lookAt(path)
    return now !== null && isAsSeen(watched(stats, null), now) ? content : known
  }

  return {
    all,
    note: (path, stats) => set(path, watched(stats, null)),
    read(path, stats) {
      const known = all.get(path)
      uncount(path)
      // Counted no more, so that it may take the place of its earlier content.
      if (known !== undefined) all.set(path, { ...known, content: null })
      const content = contentOf(path, stats)
      set(path, watched(stats, content))
      return content
    },
    adopt(path, file) {
      if (keptBytes + file.sizeBytes <= maxBytes) set(path, file)
    },
    forget(path) {
      uncount(path)
      all.delete(path)
    },
  }
}

function watched(stats: Stats, content: PathContent | null): WatchedFile {
  const { mode } = stats
  return { ...looksOf(stats), mode, isLink: stats.isSymbolicLink(), content, isFresh: hasJustChanged(stats) }
}

/** Facts of a file that tell whether it has changed. */
type Looks = Pick<WatchedFile, 'ino' | 'sizeBytes' | 'mtimeMs' | 'ctimeMs'>

function looksOf({ ino, size: sizeBytes, mtimeMs, ctimeMs }: Stats): Looks {
  return { ino, sizeBytes, mtimeMs, ctimeMs }
}

/** Tests if a file looks the same twice, so that its content is taken to be the same. */
export function isSame(one: Looks, other: Looks): boolean {
  return (
    one.ctimeMs === other.ctimeMs &&
    one.mtimeMs === other.mtimeMs &&
    one.sizeBytes === other.sizeBytes &&
    one.ino === other.ino
  )
}

/** Tests if a file still looks as it did. */
export function isAsSeen(known: Looks, stats: Stats): boolean {
  return isSame(known, looksOf(stats))
}
