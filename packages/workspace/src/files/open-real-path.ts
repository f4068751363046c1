import { constants, type Dirent } from 'node:fs'
import { type FileHandle, open, opendir, readlink, realpath } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { openUnlockedHandle } from '@parley/host'

const canNameDescriptors = process.platform === 'linux'

/**
 * Opens for reading what lies at `realPath` itself. A link in the last component fails (ELOOP), and a folder that
 * was swapped for a link after the path was judged is noticed on the opened descriptor, so there is no gap between
 * the check and the use. Elsewhere than on Linux the check is by path and a gap of microseconds remains.
 * Throws `LockedFile` for a lock that this process holds. Does not wait on a pipe without a writer; the caller looks at `stat()` before reading.
 */
export async function openRealFile(realPath: string): Promise<FileHandle> {
  const handle = await openUnlockedHandle(realPath, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    await assertOpenedAt(handle, realPath)
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Fails unless the descriptor leads to exactly `realPath`. */
async function assertOpenedAt(handle: FileHandle, realPath: string): Promise<void> {
  const opened = canNameDescriptors ? await readlink(descriptorPath(handle)) : await realpath(realPath)
  if (opened !== realPath) throw new PathDiverted()
}

/** A link stands where none was; for those who ask for its `code` it is like the system's own refusal. */
class PathDiverted extends Error {
  override readonly name = 'PathDiverted'
  readonly code = 'ELOOP'

  constructor() {
    super('the path now leads somewhere else')
  }
}

/** A name for an opened file or folder that no rename or link can divert (Linux). */
function descriptorPath(handle: FileHandle): string {
  return `/proc/self/fd/${handle.fd}`
}

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants
/**
 * Calls `use` with a name for the real path `path` that stays within its folder whatever happens to the path meanwhile:
 * on Linux through a descriptor of the folder, opened and then checked to be the one that was meant. Elsewhere the check
 * is by path and leaves a gap of microseconds.
 */
export async function inFolder<Result>(path: string, use: (name: string) => Promise<Result>): Promise<Result> {
  return withFolder(dirname(path), (folder) => use(nameIn(folder, path)))
}

/** The folder at a real path, held open and checked to be the one there. */
export async function withFolder<Result>(path: string, use: (folder: FileHandle) => Promise<Result>): Promise<Result> {
  await using folder = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  await assertOpenedAt(folder, path)
  return await use(folder)
}

/** The entries of the folder at a real path, read on as long as the caller does. */
export async function* entriesOf(path: string): AsyncGenerator<Dirent, void, undefined> {
  await using folder = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  await assertOpenedAt(folder, path)
  yield* await opendir(canNameDescriptors ? descriptorPath(folder) : path)
}

function nameIn(folder: FileHandle, path: string): string {
  return canNameDescriptors ? `${descriptorPath(folder)}/${basename(path)}` : path
}
