import { closeSync, constants, fstatSync, lstatSync, readFileSync } from 'node:fs'
import { openUnlocked } from './locked-files.ts'
import { foreignOwner } from './real-path.ts'

/** A file is none, or not one that only this user can read. */
export class NotPrivateError extends Error {
  override readonly name = 'NotPrivateError'
  readonly reason: 'noFile' | 'shared'

  constructor(path: string, reason: 'noFile' | 'shared') {
    super(reason === 'noFile' ? `${path} is no file` : `${path} can be read or written by others`)
    this.reason = reason
  }
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants

/**
 * Reads a file that only this user can read, at its path itself: a link is ELOOP. Throws `NotPrivateError`, and errors of
 * the system.
 */
export function readPrivateFile(path: string): string {
  // Without O_NONBLOCK, opening a pipe would wait.
  const file = openUnlocked(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  try {
    const facts = fstatSync(file)
    if (!facts.isFile()) throw new NotPrivateError(path, 'noFile')
    if ((facts.mode & 0o077) !== 0 || foreignOwner(path, facts) !== null) throw new NotPrivateError(path, 'shared')
    return readFileSync(file, 'utf8')
  } finally {
    closeSync(file)
  }
}

/** Returns what changes with each replacement of a file; null when there is none. A link counts as the file. */
export function fileStamp(path: string): string | null {
  const facts = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  return facts === undefined ? null : `${facts.ino}:${facts.mtimeNs}:${facts.ctimeNs}:${facts.size}`
}
