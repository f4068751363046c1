import { constants } from 'node:fs'
import { type FileHandle, lstat, open, readlink, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'

type FileBeginning =
  /** `isWhole`: the file is not longer. */
  | { readonly kind: 'text'; readonly text: string; readonly isWhole: boolean }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'noText'; readonly sizeBytes: number }

/**
 * Reads the beginning of a file below a folder, or the target of a link there. Returns null for anything else, for an
 * unreadable file, and for a path through a link: it may lead to a file of another folder.
 */
export async function readBeginning(folder: string, name: string, maxBytes: number): Promise<FileBeginning | null> {
  const path = join(folder, name)
  try {
    const [here, parent] = [await realpath(folder), await realpath(dirname(path))]
    if (parent !== dirname(join(here, name))) return null
    if ((await lstat(path)).isSymbolicLink()) return { kind: 'link', target: await readlink(path) }
    // Without blocking, because a pipe may have replaced the file.
    await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    // Resolved from the open file, because a folder can become a link at any moment.
    const opened = await realpath(process.platform === 'linux' ? `/proc/self/fd/${file.fd}` : path)
    return opened === join(here, name) ? await beginningOf(file, maxBytes) : null
  } catch {
    return null
  }
}

async function beginningOf(file: FileHandle, maxBytes: number): Promise<FileBeginning | null> {
  const stats = await file.stat()
  if (!stats.isFile()) return null
  const { bytesRead, buffer } = await file.read(Buffer.alloc(Math.min(stats.size, maxBytes)), 0, null, 0)
  const bytes = buffer.subarray(0, bytesRead)
  if (bytes.includes(0)) return { kind: 'noText', sizeBytes: stats.size }
  const isWhole = stats.size <= maxBytes
  return { kind: 'text', text: (isWhole ? bytes : wholeLines(bytes)).toString('utf8'), isWhole }
}

/** Returns bytes up to their last line end. */
function wholeLines(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1)
}
