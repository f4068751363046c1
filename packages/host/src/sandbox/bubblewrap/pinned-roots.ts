import { closeSync, constants, fstatSync } from 'node:fs'
import { openUnlocked } from '../../system/locked-files.ts'
import { identityOf, identityOfStat } from '../../system/real-path.ts'
import type { SandboxLimits } from '../sandbox.ts'

/** Writable folder, or file to be searched, that must be the same one when it is mounted. */
export interface PinnedRoot {
  readonly path: string
  readonly identity: string
}

/** Single digits, as the redirections of some shells, from 4 to 8: 3 is the report, 9 the command's stderr. */
const maxPinned = 5

/** Returns the first roots as they are now, before anything is found in them. Throws for one that is not as it was pinned. */
export function pinRoots({ identities }: SandboxLimits, roots: readonly string[]): PinnedRoot[] {
  const pinned = roots.map((path) => ({ path, identity: identityOf(path) ?? '', wanted: identities?.get(path) }))
  const other = pinned.find(({ identity, wanted }) => wanted !== undefined && identity !== wanted)
  if (other !== undefined) throw new Error(exchangedText(other.path))
  return pinned.slice(0, maxPinned)
}

/** O_PATH of Linux, which Node's constants lack: a folder that may be entered and not listed can be opened, too. */
const onlyPath = 0o10000000

/**
 * Opens the pinned folders; the first process compares their descriptors with its mounts. Throws for an exchanged
 * folder.
 */
export function openPinned(pinned: readonly PinnedRoot[]): number[] {
  const opened: number[] = []
  try {
    for (const { path, identity } of pinned) {
      const fd = openUnlocked(path, onlyPath | constants.O_NOFOLLOW)
      opened.push(fd)
      if (identityOfStat(fstatSync(fd, { bigint: true })) !== identity) throw new Error(exchangedText(path))
    }
    return opened
  } catch (error) {
    for (const fd of opened) closeSync(fd)
    throw error
  }
}

function exchangedText(path: string): string {
  return `${path} was exchanged meanwhile, so nothing was run in it`
}
