import { randomBytes } from 'node:crypto'
import { dirname } from 'node:path'
import { NotPrivateError, readPrivateFile } from '@parley/host'
import { makeFolders, makeSyncedFile, nodeFiles } from '@parley/journal'
import { UsageError } from './flags.ts'

/** Returns the token in a file that only this user can read. Creates a missing file. Throws `UsageError`. */
export function readOrMakeToken(path: string): string {
  try {
    return makeToken(path) ?? readToken(path)
  } catch (error) {
    if (error instanceof NotPrivateError) throw new UsageError(`The token file ${path} ${error.message}`)
    if (!(error instanceof Error) || !('code' in error)) throw error
    throw new UsageError(`The token file ${path} cannot be used: ${error.message}.`, { cause: error })
  }
}

function readToken(path: string): string {
  const token = readPrivateFile(path).trim()
  if (token === '') throw new UsageError(`The token file ${path} is empty; remove it and a new one is made.`)
  return token
}

/** Creates the file and returns its token; null when there is a file already. */
function makeToken(path: string): string | null {
  const token = randomBytes(32).toString('base64url')
  makeFolders(nodeFiles, dirname(path))
  return makeSyncedFile(path, `${token}\n`) ? token : null
}
