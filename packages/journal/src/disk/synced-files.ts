import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { temporaryBeside } from './file-io.ts'
import { hasCode, storageError } from './files.ts'

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants

/**
 * Makes a file for its owner alone. Readers find the whole file or no file, also after a loss of power. Returns false
 * where a file exists already.
 */
export function makeSyncedFile(path: string, content: string | Uint8Array): boolean {
  return withTemporary(path, { content, mode: 0o600 }, (temporary) => {
    try {
      linkSync(temporary, path)
      return true
    } catch (error) {
      if (hasCode(storageError('link', path, error), 'EEXIST')) return false
      // A file system without links: two processes could make it at once, and the later one counts.
      if (existsSync(path)) return false
      renameSync(temporary, path)
      return true
    }
  })
}

/**
 * Replaces a file; for others, and after a loss of power, it has its old or its new content. Returns false, and leaves
 * the file, unless `isCurrent` returns true.
 */
export function replaceSyncedFile(path: string, next: SyncedContent, isCurrent: () => boolean): boolean {
  return withTemporary(path, next, (temporary) => {
    if (!isCurrent()) return false
    renameSync(temporary, path)
    return true
  })
}

interface SyncedContent {
  readonly content: string | Uint8Array
  readonly mode: number
}

/** Gives a synced file beside `path` to a function that brings it there. */
function withTemporary(path: string, { content, mode }: SyncedContent, place: (temporary: string) => boolean): boolean {
  const temporary = temporaryBeside(path)
  try {
    withDescriptor(openSync(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600), (file) => {
      fchmodSync(file, mode)
      writeFileSync(file, content)
      fsyncSync(file)
    })
    const isPlaced = place(temporary)
    withDescriptor(openSync(dirname(path), O_RDONLY | O_DIRECTORY), syncFolder)
    return isPlaced
  } finally {
    rmSync(temporary, { force: true })
  }
}

/** Syncs a folder. Ignores EINVAL, which file systems answer that cannot sync folders. */
function syncFolder(folder: number): void {
  try {
    fsyncSync(folder)
  } catch (error) {
    if (!hasCode(storageError('syncFolder', '', error), 'EINVAL')) throw error
  }
}

function withDescriptor(descriptor: number, use: (descriptor: number) => void): void {
  try {
    use(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
