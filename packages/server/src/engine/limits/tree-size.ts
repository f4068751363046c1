import { constants, type Stats } from 'node:fs'
import { chmod, type FileHandle, lstat, opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { openUnlockedHandle } from '@parley/host'
import { isMissing, systemErrorCode } from '@parley/workspace'

const { O_DIRECTORY, O_NOFOLLOW } = constants
/** Linux flag that opens a folder without any permission for it; Node does not name it. */
const O_PATH = 0o10000000
/** Depth of folders above which a tree counts as too large: each level needs a descriptor. */
const maxDepth = 128

/** Bytes on disk and count of entries that are left; both get smaller while a tree is measured. */
interface Left {
  bytes: number
  entries: number
}

/**
 * Resolves to true once size or count is used up. Follows no link. What cannot be measured counts as too large: a
 * command could hide its files there.
 */
export async function exceeds(folder: string, left: Left): Promise<boolean> {
  try {
    return process.platform === 'linux' ? await isHeldTooLarge(folder, left, 0) : await isTooLarge(folder, left, 0)
  } catch (error) {
    return !isMissing(error)
  }
}

/** Measures a folder through its descriptor, so that no path gets too long and no link can divert it. Linux only. */
async function isHeldTooLarge(path: string, left: Left, depth: number): Promise<boolean> {
  if (depth > maxDepth) return true
  await using folder = await openUnlockedHandle(path, O_PATH | O_DIRECTORY | O_NOFOLLOW)
  const name = `/proc/self/fd/${folder.fd}`
  try {
    return await isTooLarge(name, left, depth)
  } catch (error) {
    if (!isDenied(error)) throw error
    return await isOpenedTooLarge(folder, left, depth)
  }
}

/** Measures a folder that its owner has no right to list: gives the right for that time. */
async function isOpenedTooLarge(folder: FileHandle, left: Left, depth: number): Promise<boolean> {
  const name = `/proc/self/fd/${folder.fd}`
  const mode = (await folder.stat()).mode & 0o7777
  await chmod(name, mode | 0o500)
  try {
    return await isTooLarge(name, left, depth)
  } catch (error) {
    // Closed again meanwhile.
    if (isDenied(error)) return true
    throw error
  } finally {
    await chmod(name, mode)
  }
}

async function isTooLarge(folder: string, left: Left, depth: number): Promise<boolean> {
  for await (const { name } of await opendir(folder)) {
    const path = join(folder, name)
    const stats = await statsOf(path)
    left.entries -= 1
    left.bytes -= (stats?.blocks ?? 0) * 512
    if (left.bytes < 0 || left.entries < 0) return true
    if (stats?.isDirectory() === true && (await isInnerTooLarge(path, left, depth + 1))) return true
  }
  return false
}

async function isInnerTooLarge(path: string, left: Left, depth: number): Promise<boolean> {
  try {
    return process.platform === 'linux' ? await isHeldTooLarge(path, left, depth) : await isTooLarge(path, left, depth)
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

async function statsOf(path: string): Promise<Stats | null> {
  try {
    return await lstat(path)
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

function isDenied(error: unknown): boolean {
  return systemErrorCode(error) === 'EACCES'
}
