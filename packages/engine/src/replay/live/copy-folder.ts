import { constants } from 'node:fs'
import { chmod, lstat, mkdir, readdir, readlink, symlink, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { openUnlockedHandle } from '@parley/host'
import { isSecret, systemErrorReason } from '@parley/workspace'
import { rejection } from '../../replies/rejection.ts'

interface Copying {
  /** Paths that stay behind. */
  readonly secrets: readonly string[]
  /** Room that is left. */
  readonly room: { bytes: number; entries: number }
}

/** Room for a copy: as much as running commands may have as temporary files. */
const wholeRoom = { bytes: 4 * 1024 ** 3, entries: 500_000 }
const chunkBytes = 1024 * 1024
const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = constants

/**
 * Copies files, folders and links with their modes and times to a path where nothing is. Places of secrets stay behind: in
 * the copy nothing would hide them from commands. Rejects with a sentence where it cannot be done.
 */
export async function copyFolder(from: string, to: string, secrets: readonly string[]): Promise<void> {
  const room = { ...wholeRoom }
  try {
    await copyEntry(from, to, { secrets, room })
  } catch (error) {
    if (!(error instanceof Error) || !('syscall' in error)) throw error
    throw notCopied(`${from} could not be copied: ${systemErrorReason(error)}.`)
  }
}

async function copyEntry(from: string, to: string, copying: Copying): Promise<void> {
  if (isSecret(from, copying.secrets)) return
  const stat = await lstat(from)
  const { room } = copying
  room.entries--
  if (stat.isFile()) room.bytes -= stat.size
  if (room.entries < 0 || room.bytes < 0)
    throw notCopied(`${from} is beyond the 4 GiB or 500,000 files that are copied at most.`)
  if (stat.isSymbolicLink()) return await symlink(await readlink(from), to)
  if (stat.isDirectory()) await copyBelow(from, to, copying)
  else if (stat.isFile()) await copyFile(from, to)
  else return
  await chmod(to, stat.mode & 0o7777)
  await utimes(to, stat.atime, stat.mtime)
}

async function copyBelow(from: string, to: string, copying: Copying): Promise<void> {
  await mkdir(to, { mode: 0o700 })
  for (const name of await readdir(from)) await copyEntry(join(from, name), join(to, name), copying)
}

async function copyFile(from: string, to: string): Promise<void> {
  await using source = await openUnlockedHandle(from, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  await using target = await openUnlockedHandle(to, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  const { size } = await source.stat()
  const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, size + 1))
  for (;;) {
    const { bytesRead } = await source.read(chunk, 0, chunk.length, null)
    if (bytesRead === 0) return
    await target.writeFile(chunk.subarray(0, bytesRead))
  }
}

function notCopied(why: string) {
  return rejection('invalidParams', why, { field: 'liveTools' })
}
