import { lstatSync, readlinkSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { errorCode } from '@parley/text'
import { readUnlocked, statOrNull } from './locked-files.ts'

/** Thrown for a link on the way to a file that leads nowhere, e.g. to a disk that is not mounted. */
export class DanglingLinkError extends Error {
  override readonly name = 'DanglingLinkError'

  constructor(link: string, target: string) {
    super(`${link} is a link to ${target}, which is not there. Bring that back, or remove the link.`)
  }
}

/**
 * Returns all text of the file at `path`; null for a missing file. Throws `DanglingLinkError` for a link that leads
 * nowhere, as somebody meant a file to be there, and `LockedFileError`.
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

/** Looks at the missing path, or else at the first existing folder above it. */
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

/** Age from which the time of a change differs from the next one's, in ms: file systems count in steps of up to 10. */
const settledMs = 1000

/**
 * Returns a text that changes with each change of a file; null for a missing file, and for one that has just changed:
 * its next change may leave no trace.
 */
export function settledStamp(path: string): string | null {
  const facts = statOrNull(path)
  if (facts === null || Date.now() - Number(facts.ctimeMs) < settledMs) return null
  const { dev, ino, size, mtimeNs, ctimeNs } = facts
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ')
}
