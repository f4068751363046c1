import type { DatabaseSync } from 'node:sqlite'
import { markLocked } from '@parley/host'
import type { HeldLock } from './files.ts'
import { LOCK_UNAVAILABLE, StorageError } from './storage-error.ts'

const SQLITE_BUSY = 5
const SQLITE_LOCKED = 6

/** Of two that ask in the same instant each may see the other's first step; with a moment's patience one of them gets it. */
const contentionMs = 100

/**
 * A lock the kernel drops when its owner dies and keeps while its owner is paused: an exclusive transaction on an empty
 * SQLite file. No other code may open that file, as closing any other descriptor of it in this process would drop the
 * lock: `markLocked` sees to that.
 */
export function lockFile(path: string): HeldLock | null {
  const sqlite = process.getBuiltinModule('node:sqlite')
  if (sqlite === undefined) throw unavailable(path, 'this Node has no node:sqlite')
  let database: DatabaseSync | undefined
  try {
    database = new sqlite.DatabaseSync(path, { timeout: contentionMs })
    // A journal on disk would leave a second file behind each killed owner.
    database.exec('pragma journal_mode = memory; begin exclusive')
    return new KernelLock(database, markLocked(path))
  } catch (cause) {
    database?.close()
    if (isBusy(cause)) return null
    throw unavailable(path, cause)
  }
}

/** Holds the database: collected as garbage, it would drop the lock. */
class KernelLock implements HeldLock {
  readonly #database: DatabaseSync

  readonly #unmark: () => void

  constructor(database: DatabaseSync, unmark: () => void) {
    this.#database = database
    this.#unmark = unmark
  }

  release(): void {
    if (!this.#database.isOpen) return
    this.#database.close()
    this.#unmark()
  }
}

/** The low byte is the primary result code, the rest says where it came from. */
function isBusy(cause: unknown): boolean {
  if (!(cause instanceof Error) || !('errcode' in cause) || typeof cause.errcode !== 'number') return false
  const code = cause.errcode & 0xff
  return code === SQLITE_BUSY || code === SQLITE_LOCKED
}

function unavailable(path: string, cause: unknown): StorageError {
  return new StorageError({ code: LOCK_UNAVAILABLE, operation: 'lock', path, cause })
}
