import { rmSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { markLocked } from '@parley/host'
import { temporaryBeside } from './file-io.ts'
import { type HeldLock, LOCK_UNAVAILABLE, StorageError } from './files.ts'
import { sqliteCode } from './sqlite-code.ts'

const SQLITE_BUSY = 5
const SQLITE_LOCKED = 6

/** Wait for another process that asks at the same instant: without it both could fail. */
const contentionMs = 100

/**
 * Takes a lock that ends with its process and outlasts a pause of it: an exclusive transaction on an empty SQLite file.
 * Returns null while it is held. Throws `ENOLCK` where the file system has no locks, else `LOCK_UNAVAILABLE`.
 */
export function lockFile(path: string): HeldLock | null {
  try {
    // Marked, since closing another descriptor of it in this process would drop the lock.
    return lockedDatabase(path, contentionMs, (database) => new KernelLock(database, markLocked(path)))
  } catch (cause) {
    if (!isBusy(cause)) throw new StorageError({ code: LOCK_UNAVAILABLE, operation: 'lock', path, cause })
    // SQLite says the same of a lock that another process holds and of a file system without locks.
    if (refusesLocks(path)) throw new StorageError({ code: 'ENOLCK', operation: 'lock', path, cause })
    return null
  }
}

/** Opens a database with an exclusive transaction; closes it when `take` throws. Throws the error of SQLite, or one without a code. */
function lockedDatabase<Taken>(path: string, timeout: number, take: (database: DatabaseSync) => Taken): Taken {
  const sqlite = process.getBuiltinModule('node:sqlite')
  if (sqlite === undefined) throw new Error('This Node has no node:sqlite.')
  const database = new sqlite.DatabaseSync(path, { timeout })
  try {
    // A journal on disk would stay behind after each killed owner. A cache takes 80 KiB, and there is nothing to read.
    database.exec('pragma cache_size = 0; pragma journal_mode = memory; begin exclusive')
    return take(database)
  } catch (cause) {
    database.close()
    throw cause
  }
}

/** Tests if a new file in the same folder, which no other process can hold, cannot be locked either. */
function refusesLocks(path: string): boolean {
  const probe = temporaryBeside(path)
  try {
    lockedDatabase(probe, 0, (database) => database.close())
    return false
  } catch (cause) {
    return isBusy(cause)
  } finally {
    rmSync(probe, { force: true })
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

function isBusy(cause: unknown): boolean {
  const code = sqliteCode(cause)
  return code === SQLITE_BUSY || code === SQLITE_LOCKED
}
