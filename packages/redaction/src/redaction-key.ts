import { randomBytes } from 'node:crypto'
import { constants, fstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { foreignOwner, withUnlocked } from '@parley/host'
import { makeFolders, makeSyncedFile, nodeFiles } from '@parley/journal'
import { orNull } from '@parley/text'

const keyBytes = 32

/**
 * Reads or creates the key of a home's marks: equal secrets have equal marks, which cannot be found by trying values.
 * Without a usable file the key lasts as long as the process.
 */
export function readRedactionKey(home: string): Buffer {
  const path = join(home, 'redaction.key')
  return readKey(path) ?? makeKey(home, path) ?? readKey(path) ?? randomBytes(keyBytes)
}

/** Reads the key file; null when it is missing, or others could have read it. */
function readKey(path: string): Buffer | null {
  const read = (file: number) => {
    const status = fstatSync(file)
    const isPrivate = (status.mode & 0o077) === 0 && foreignOwner(path, status) === null
    return status.isFile() && isPrivate && status.size === keyBytes ? readFileSync(file) : null
  }
  return orNull(() => withUnlocked(path, constants.O_RDONLY | constants.O_NOFOLLOW, read))
}

/** Creates the key file; null where it cannot: a home that is not writable is no reason to store a secret. */
function makeKey(home: string, path: string): Buffer | null {
  return orNull(() => {
    makeFolders(nodeFiles, home)
    const key = randomBytes(keyBytes)
    return makeSyncedFile(path, key) ? key : null
  })
}
