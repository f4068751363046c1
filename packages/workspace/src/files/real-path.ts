import { realpathSync } from 'node:fs'
import { readlink, realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { isMissing, systemErrorCode } from './errors.ts'

const maxLinkHops = 40

/**
 * Resolves the path that a read of or a write to `absolute` would reach.
 *
 * Follows links in everything that exists, dangling links too, since a write would create their target; appends the
 * missing rest. Throws the system's error for a loop or a folder that may not be searched.
 */
export async function realPathOf(absolute: string, hops = 0): Promise<string> {
  const existing = await existingRealPath(absolute)
  if (existing !== null) return existing
  const parent = dirname(absolute)
  if (parent === absolute) return absolute
  const target = hops < maxLinkHops ? await linkTarget(absolute) : null
  if (target !== null) return realPathOf(resolve(await realPathOf(parent, hops), target), hops + 1)
  return join(await realPathOf(parent, hops), basename(absolute))
}

async function existingRealPath(path: string): Promise<string | null> {
  try {
    return await realpath(path)
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

/** Reads the target of a link as written; null when `path` is no link. */
async function linkTarget(path: string): Promise<string | null> {
  try {
    return await readlink(path)
  } catch (error) {
    if (isMissing(error) || systemErrorCode(error) === 'EINVAL') return null
    throw error
  }
}

/** Resolves all links of an existing path; returns other paths unchanged. */
export function realOrGiven(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
