import { randomBytes } from 'node:crypto'
import { closeSync, constants, fstatSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { openUnlocked } from '@parley/host'
import { makeFolders, makeSyncedFile, nodeFiles } from '@parley/journal'
import { UsageError } from './flags.ts'

/** Returns the token in a file that only this user can read. Creates a missing file. Throws `UsageError`. */
export function readOrMakeToken(path: string): string {
  try {
    return makeToken(path) ?? readToken(path)
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error
    const why = error.code === 'ELOOP' ? 'it is a link, and a token is kept in a file of its own' : error.message
    throw new UsageError(`The token file ${path} cannot be used: ${why}.`, { cause: error })
  }
}

function readToken(path: string): string {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  // Without O_NONBLOCK, opening a pipe would wait.
  const file = openUnlocked(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  try {
    const facts = fstatSync(file)
    if (!facts.isFile() || (facts.mode & 0o077) !== 0 || facts.uid !== process.getuid?.())
      throw new UsageError(`The token file ${path} must be yours alone: chmod 600 ${path}`)
    const token = readFileSync(file, 'utf8').trim()
    if (token === '') throw new UsageError(`The token file ${path} is empty; remove it and a new one is made.`)
    return token
  } finally {
    closeSync(file)
  }
}

/** Creates the file and returns its token; null when there is a file already. */
function makeToken(path: string): string | null {
  const token = randomBytes(32).toString('base64url')
  makeFolders(nodeFiles, dirname(path))
  return makeSyncedFile(path, `${token}\n`) ? token : null
}
