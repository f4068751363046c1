import { randomBytes } from 'node:crypto'
import { closeSync, constants, fchmodSync, fstatSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { openUnlocked } from '@parley/host'
import { makeFolders, nodeFiles } from '@parley/journal'

const keyBytes = 32

/**
 * The key of a home's marks: with it equal secrets get equal marks in all conversations, and without it nobody can try
 * values until a mark comes out. Where the file cannot be had, one that lasts as long as the process.
 */
export function readRedactionKey(home: string): Buffer {
  const path = join(home, 'redaction.key')
  return readKey(path) ?? makeKey(home, path) ?? readKey(path) ?? randomBytes(keyBytes)
}

/** Null for one that is not there, or that others could have read. */
function readKey(path: string): Buffer | null {
  return unlessRefused(() => {
    const descriptor = openUnlocked(path, constants.O_RDONLY | constants.O_NOFOLLOW)
    try {
      const status = fstatSync(descriptor)
      const isOurs = status.isFile() && (status.mode & 0o077) === 0 && status.size === keyBytes
      return isOurs ? readFileSync(descriptor) : null
    } finally {
      closeSync(descriptor)
    }
  })
}

function makeKey(home: string, path: string): Buffer | null {
  return unlessRefused(() => {
    makeFolders(nodeFiles, home)
    const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants
    const descriptor = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
    try {
      fchmodSync(descriptor, 0o600)
      const key = randomBytes(keyBytes)
      writeSync(descriptor, key)
      return key
    } finally {
      closeSync(descriptor)
    }
  })
}

/** No home that can be written is no reason to store a secret. */
function unlessRefused(attempt: () => Buffer | null): Buffer | null {
  try {
    return attempt()
  } catch {
    return null
  }
}
