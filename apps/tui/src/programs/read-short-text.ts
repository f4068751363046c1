import { constants } from 'node:fs'
import { lstat, open, realpath } from 'node:fs/promises'
import { join } from 'node:path'

/** Limit of a file whose text is shown. */
const maxBytes = 64 * 1024

/**
 * Returns the text of a regular file below a folder; null for other files, long ones, those that are no text, and one that
 * a link on the way leads to: it may be a file of another folder.
 */
export async function readShortText(folder: string, name: string): Promise<string | null> {
  const path = join(folder, name)
  try {
    const { size } = await lstat(path)
    if (size > maxBytes) return null
    // A pipe put in its place meanwhile must not hold the window up.
    await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    if (!(await file.stat()).isFile()) return null
    // Asked of the open file, since a folder can become a link at any moment.
    const opened = await realpath(process.platform === 'linux' ? `/proc/self/fd/${file.fd}` : path)
    if (opened !== join(await realpath(folder), name)) return null
    const { bytesRead, buffer } = await file.read(Buffer.alloc(maxBytes), 0, maxBytes, 0)
    const bytes = buffer.subarray(0, bytesRead)
    return bytes.includes(0) ? null : bytes.toString('utf8')
  } catch {
    return null
  }
}
