import { constants, fstatSync, readlinkSync, realpathSync, type Stats } from 'node:fs'
import { withUnlocked } from '@parley/host'
import type { PathContent } from '@parley/protocol'
import { orNull } from '@parley/text'
import { contentHash } from '../patch/file-plan.ts'
import { type ContentStore, readAll } from './content-store.ts'

/** Size limit of contents that are kept before commands. */
export const maxKeptFileBytes = 1024 * 1024

/** Returns a content without its hash, for one that is not kept. */
export function unread(mode: number, isLink: boolean): PathContent {
  return { mode: mode & 0o7777, ...(isLink ? { link: true } : {}) }
}

/**
 * Reads and keeps a file or the target of a link. Leaves out the hash of a content that is too large, unreadable or not
 * kept.
 */
export function readContent(path: string, stats: Stats, store: ContentStore): PathContent {
  const isLink = stats.isSymbolicLink()
  const known = unread(stats.mode, isLink)
  if (!isLink && stats.size > maxKeptFileBytes) return known
  const bytes = isLink ? orNull(() => Buffer.from(readlinkSync(path))) : readHere(path)
  if (bytes === null) return known
  const hash = contentHash(bytes)
  return store.keep(hash, bytes) ? { hash, ...known } : known
}

/** Reads a regular file at a real path, and nothing that a link in one of its folders leads to. */
function readHere(path: string): Uint8Array | null {
  const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants
  const read = (file: number) => {
    const stats = fstatSync(file)
    const isHere = stats.isFile() && stats.size <= maxKeptFileBytes && openedPath(file, path) === path
    return isHere ? readAll(file, stats.size) : null
  }
  return orNull(() => withUnlocked(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, read))
}

function openedPath(descriptor: number, path: string): string {
  return process.platform === 'linux' ? readlinkSync(`/proc/self/fd/${descriptor}`) : realpathSync(path)
}
