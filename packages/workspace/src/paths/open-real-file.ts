import { constants } from 'node:fs'
import { type FileHandle, readlink, realpath } from 'node:fs/promises'
import { openUnlockedHandle } from '@parley/host'

const canNameDescriptors = process.platform === 'linux'

/**
 * Opens for reading what lies at `realPath` itself. A link in the last component fails (ELOOP), and a folder that
 * was swapped for a link after the path was judged is noticed on the opened descriptor, so there is no gap between
 * the check and the use. Elsewhere than on Linux the check is by path and a gap of microseconds remains.
 * Throws `LockedFileError` for a lock that this process holds. Does not wait on a pipe without a writer; the caller looks at `stat()` before reading.
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
export async function assertOpenedAt(handle: FileHandle, realPath: string): Promise<void> {
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
export function descriptorPath(handle: FileHandle): string {
  return `/proc/self/fd/${handle.fd}`
}
