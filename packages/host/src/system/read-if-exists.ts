import { lstatSync, readlinkSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { errorCode } from './errors.ts'
import { readUnlocked, statOrNull } from './locked-files.ts'

/** A link on the way to a file leads to what is not there, e.g. on a disk that is not mounted. */
export class DanglingLinkError extends Error {
  override readonly name = 'DanglingLinkError'

  constructor(link: string, target: string) {
    super(`${link} is a link to ${target}, which is not there. Bring that back, or remove the link.`)
  }
}

/**
 * All text of the file at `path`, or null where there is none. A link that leads nowhere is not "none": somebody meant
 * a file to be there, and it throws `DanglingLinkError`. Throws `LockedFileError` as well.
 */
export function readIfExists(path: string): string | null {
  try {
    return readUnlocked(path)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
    assertNoLink(resolve(path))
    return null
  }
}

/** Looks at the first that is there of what is missing and the folders above it. */
function assertNoLink(missing: string): void {
  let path = missing
  let facts = lstatSync(path, { throwIfNoEntry: false })
  while (facts === undefined && dirname(path) !== path) {
    path = dirname(path)
    facts = lstatSync(path, { throwIfNoEntry: false })
  }
  const isDangling = facts?.isSymbolicLink() === true && statSync(path, { throwIfNoEntry: false }) === undefined
  if (isDangling) throw new DanglingLinkError(path, resolve(dirname(path), readlinkSync(path)))
}

/** Age from which a change is told from the next one by its time, in ms: file systems count in steps of up to 10. */
const settledMs = 1000

/**
 * Returns a text that is another one after each change of a file; null for none, and for one that has just been changed,
 * whose next change may leave no trace.
 */
export function settledStamp(path: string): string | null {
  const facts = statOrNull(path)
  if (facts === null || Date.now() - Number(facts.ctimeMs) < settledMs) return null
  const { dev, ino, size, mtimeNs, ctimeNs } = facts
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ')
}
