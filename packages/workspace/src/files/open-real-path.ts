import { constants, type Dirent } from 'node:fs'
import { type FileHandle, open, opendir, readlink, realpath } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { openUnlockedHandle } from '@parley/host'

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants
const canNameDescriptors = process.platform === 'linux'
/** Flag of Linux that Node does not name: a descriptor to name a folder by, which may be had also of one that cannot be listed. */
const O_PATH = 0o10000000
const toName = canNameDescriptors ? O_PATH : O_RDONLY

/**
 * Opens a file or folder for reading and follows no link. Throws ELOOP for a link, also in place of a folder that was
 * checked, and `LockedFileError`. Never waits on a pipe: callers check `stat()`.
 */
export async function openRealFile(realPath: string): Promise<FileHandle> {
  const handle = await openUnlockedHandle(realPath, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  try {
    await assertOpenedAt(handle, realPath)
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

/**
 * Calls `use` with a name for a real path that cannot leave its folder, even if a link replaces that: it goes through
 * the folder's descriptor. Only checked just before, except on Linux.
 */
export async function inFolder<Result>(path: string, use: (name: string) => Promise<Result>): Promise<Result> {
  return withOpened(dirname(path), toName, (folder) => use(nameIn(folder, path)))
}

/** Opens the folder at a real path for the duration of `use`. */
export function withFolder<Result>(path: string, use: (folder: FileHandle) => Promise<Result>): Promise<Result> {
  return withOpened(path, O_RDONLY, use)
}

async function withOpened<Result>(
  path: string,
  how: number,
  use: (folder: FileHandle) => Promise<Result>,
): Promise<Result> {
  await using folder = await open(path, how | O_DIRECTORY | O_NOFOLLOW)
  await assertOpenedAt(folder, path)
  return await use(folder)
}

/** Entries read at once: each reading takes a turn of a thread. */
const entriesAtOnce = 512

/** Yields the entries of the folder at a real path; the folder stays open until iteration ends. */
export async function* entriesOf(path: string): AsyncGenerator<Dirent, void, undefined> {
  await using folder = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  await assertOpenedAt(folder, path)
  yield* await opendir(canNameDescriptors ? descriptorPath(folder) : path, { bufferSize: entriesAtOnce })
}

function nameIn(folder: FileHandle, path: string): string {
  return canNameDescriptors ? `${descriptorPath(folder)}/${basename(path)}` : path
}

/**
 * Throws `PathDivertedError` unless the descriptor is of exactly `realPath`. Except on Linux paths are compared, which
 * leaves a gap of microseconds.
 */
async function assertOpenedAt(handle: FileHandle, realPath: string): Promise<void> {
  const opened = canNameDescriptors ? await readlink(descriptorPath(handle)) : await realpath(realPath)
  if (opened !== realPath) throw new PathDivertedError()
}

/**
 * Thrown for a link in a path that had no link when it was checked; carries the code of the system's own error for
 * links.
 */
class PathDivertedError extends Error {
  override readonly name = 'PathDivertedError'
  readonly code = 'ELOOP'

  constructor() {
    super('the path now leads somewhere else')
  }
}

/** Returns a path to an open file or folder that no rename or link can divert. Linux only. */
function descriptorPath(handle: FileHandle): string {
  return `/proc/self/fd/${handle.fd}`
}
