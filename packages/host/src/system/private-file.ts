import { closeSync, constants, fstatSync, lstatSync, readFileSync } from 'node:fs'
import { errorCode } from '@parley/text'
import { openUnlocked } from './locked-files.ts'
import { foreignOwner } from './real-path.ts'

type PrivacyFault = 'noFile' | 'link' | 'shared'

/** Ends of sentences about a path, with what to do. */
const predicates: Readonly<Record<PrivacyFault, (path: string) => string>> = {
  noFile: () => 'is no file; move it away and put a file there',
  link: () => 'is a link; put the file itself there',
  shared: (path) => `must be a file of yours alone: chmod 600 ${path}`,
}

/** A path that is not a file which only this user can read. The message is the end of a sentence that begins with the file. */
export class NotPrivateError extends Error {
  override readonly name = 'NotPrivateError'
  readonly reason: PrivacyFault

  constructor(path: string, reason: PrivacyFault) {
    super(predicates[reason](path))
    this.reason = reason
  }
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants

/** Reads a file that only this user can read, at its path itself. Throws `NotPrivateError`, and errors of the system. */
export function readPrivateFile(path: string): string {
  const file = openItself(path)
  try {
    const facts = fstatSync(file)
    if (!facts.isFile()) throw new NotPrivateError(path, 'noFile')
    if ((facts.mode & 0o077) !== 0 || foreignOwner(path, facts) !== null) throw new NotPrivateError(path, 'shared')
    return readFileSync(file, 'utf8')
  } finally {
    closeSync(file)
  }
}

function openItself(path: string): number {
  try {
    // Without O_NONBLOCK, opening a pipe would wait.
    return openUnlocked(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch (error) {
    throw errorCode(error) === 'ELOOP' ? new NotPrivateError(path, 'link') : error
  }
}

/** Returns a text that changes with each replacement of a file; null for a missing file. A link counts as the file. */
export function fileStamp(path: string): string | null {
  const facts = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  return facts === undefined ? null : `${facts.ino}:${facts.mtimeNs}:${facts.ctimeNs}:${facts.size}`
}
