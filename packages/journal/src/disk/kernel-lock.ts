import type { DatabaseSync } from 'node:sqlite'
import { markLocked } from '@parley/host'
import { type HeldLock, LOCK_UNAVAILABLE, StorageError } from './files.ts'

const SQLITE_BUSY = 5
const SQLITE_LOCKED = 6

/** Wait for another process that asks at the same instant: without it both could fail. */
const contentionMs = 100

/**
 * Takes a lock that ends with its process and outlasts a pause of it: an exclusive transaction on an empty SQLite file.
 * Returns null while it is held. Throws `LOCK_UNAVAILABLE`.
 */
export function lockFile(path: string): HeldLock | null {
  const sqlite = process.getBuiltinModule('node:sqlite')
  if (sqlite === undefined) throw unavailable(path, 'this Node has no node:sqlite')
  let database: DatabaseSync | undefined
  try {
    database = new sqlite.DatabaseSync(path, { timeout: contentionMs })
    // A journal on disk would stay behind after each killed owner.
    database.exec('pragma journal_mode = memory; begin exclusive')
    // Marked, since closing another descriptor of it in this process would drop the lock.
    return new KernelLock(database, markLocked(path))
  } catch (cause) {
    database?.close()
    if (isBusy(cause)) return null
    throw unavailable(path, cause)
  }
}

/** Keeps the database referenced: its garbage collection would drop the lock. */
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

/** Compares the low byte, which is SQLite's primary result code. */
function isBusy(cause: unknown): boolean {
  if (!(cause instanceof Error) || !('errcode' in cause) || typeof cause.errcode !== 'number') return false
  const code = cause.errcode & 0xff
  return code === SQLITE_BUSY || code === SQLITE_LOCKED
}

function unavailable(path: string, cause: unknown): StorageError {
  return new StorageError({ code: LOCK_UNAVAILABLE, operation: 'lock', path, cause })
}
