import { closeSync, constants, fstatSync, readFileSync } from 'node:fs'
import { openUnlocked } from '../../locked-files.ts'

const maxBytes = 1024 * 1024

/** Reads a regular file; null for anything else. Never waits. Throws a sentence for a file that is too large. */
export function readBounded(path: string): string | null {
  let fd: number
  try {
    fd = openUnlocked(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch {
    return null
  }
  try {
    const stats = fstatSync(fd)
    if (!stats.isFile()) return null
    if (stats.size > maxBytes) throw new Error(`${path} is larger than 1 MiB, too large to find what git runs by it`)
    return readFileSync(fd, 'utf8')
  } finally {
    closeSync(fd)
  }
}
