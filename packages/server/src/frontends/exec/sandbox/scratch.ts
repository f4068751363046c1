import { lstat, mkdir, readdir, readlink, realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMark, isOwnerAlive, parseMark } from '@parley/host'
import { removeTree } from '@parley/workspace'

const name = 'parley-exec'

/** Folder that the sandboxed processes of one session have as /tmp. */
export interface Scratch {
  /** Resolves with the folder, created on first use with mode 0700. Rejects after `remove`. */
  folder(): Promise<string>
  remove(): Promise<void>
}

export function createScratch(): Scratch {
  let made: Promise<string> | null = null
  let isOver = false
  return {
    folder() {
      made ??= isOver ? Promise.reject(new Error('the session has ended')) : makeFolder()
      return made
    },
    async remove() {
      isOver = true
      const folder = await made?.catch(() => null)
      if (typeof folder === 'string') await removeTree(folder)
    },
  }
}

async function makeFolder(): Promise<string> {
  const within = await realpath(tmpdir())
  const prefix = `${name}-${await pidNamespace()}-`
  await removeOwnerless(within, prefix).catch(() => undefined)
  const folder = join(within, `${prefix}${createMark()}`)
  await mkdir(folder, 0o700)
  return folder
}

/** Returns the pid namespace, since an owner in another container that shares the folder looks dead from here. */
async function pidNamespace(): Promise<string> {
  const link = await readlink('/proc/self/ns/pid').catch(() => '')
  return /\d+/.exec(link)?.[0] ?? '0'
}

/**
 * Removes folders of killed exec-servers of this user. Safe in /tmp, whose sticky bit keeps others from replacing
 * them.
 */
async function removeOwnerless(within: string, prefix: string): Promise<void> {
  for (const found of await readdir(within)) {
    const owner = found.startsWith(prefix) ? parseMark(found.slice(prefix.length)) : null
    if (owner !== null && !isOwnerAlive(owner)) await removeOurs(join(within, found))
  }
}

async function removeOurs(folder: string): Promise<void> {
  const found = await lstat(folder)
  if (!found.isDirectory() || found.uid !== process.getuid?.()) return
  await removeTree(folder)
}
