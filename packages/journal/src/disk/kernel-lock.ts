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
 * Takes a lock that ends with its process and outlasts a pause of it: an exclusive lock of SQLite on an empty file.
 * Returns null while it is held. Throws `ENOLCK` where the file system has no locks, else `LOCK_UNAVAILABLE`.
 */
export function lockFile(path: string): HeldLock | null {
  try {
    return lockAt(takeSlot(), path)
  } catch (cause) {
    if (!isBusy(cause)) throw new StorageError({ code: LOCK_UNAVAILABLE, operation: 'lock', path, cause })
    // SQLite says the same of a lock that another process holds and of a file system without locks.
    if (refusesLocks(path)) throw new StorageError({ code: 'ENOLCK', operation: 'lock', path, cause })
    return null
  }
}

function lockAt(at: LockSlot, path: string): HeldLock {
  let isHeld = true
  try {
    attach(at, path)
    // Marked, since closing another descriptor of it in this process would drop the lock.
    const unmark = markLocked(path)
    return {
      release() {
        if (!isHeld) return
        isHeld = false
        letGo(at)
        unmark()
      },
    }
  } catch (cause) {
    letGo(at)
    throw cause
  }
}

/** Connection that locks files. It takes 70 KiB, and each file 9: a thousand conversations share a hundred. */
interface Connection {
  readonly database: DatabaseSync
  /** Names for files that it can attach yet. */
  readonly free: string[]
}

/** As many as SQLite attaches to a connection. */
const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'] as const

/** Kept referenced: garbage collection of a connection would drop its locks. */
const connections = new Set<Connection>()

/** Place of one file in a connection. */
interface LockSlot {
  readonly connection: Connection
  readonly name: string
}

/** Takes a place in a connection that has one free, else in a new one. */
function takeSlot(): LockSlot {
  for (const connection of connections) {
    const name = connection.free.pop()
    if (name !== undefined) return { connection, name }
  }
  const [name, ...free] = names
  const connection = { database: openDatabase(contentionMs), free }
  connections.add(connection)
  return { connection, name }
}

function openDatabase(timeout: number): DatabaseSync {
  const sqlite = process.getBuiltinModule('node:sqlite')
  if (sqlite === undefined) throw new Error('This Node has no node:sqlite.')
  return new sqlite.DatabaseSync(':memory:', { timeout })
}

/** Attaches a file and locks it for longer than the transaction, which is on all files. Throws the error of SQLite. */
function attach({ connection: { database }, name }: LockSlot, path: string): void {
  database.prepare(`attach ? as ${name}`).run(path)
  // A journal on disk would stay behind after each killed owner. A cache takes 80 KiB, and there is nothing to read.
  const settings = ['cache_size = 0', 'journal_mode = memory', 'locking_mode = exclusive']
  database.exec(settings.map((setting) => `pragma ${name}.${setting};`).join(''))
  // Rolled back: a commit would write the first page of a database into the empty file.
  database.exec('begin exclusive; rollback')
}

/** Detaches a file, which frees its lock, and closes a connection without files. */
function letGo({ connection, name }: LockSlot): void {
  const { database, free } = connection
  const attached = database.prepare('select 1 from pragma_database_list where name = ?').get(name)
  if (attached !== undefined) database.exec(`detach ${name}`)
  free.push(name)
  if (free.length < names.length) return
  connections.delete(connection)
  database.close()
}

/** Tests if a new file in the same folder, which no other process can hold, cannot be locked either. */
function refusesLocks(path: string): boolean {
  const probe = temporaryBeside(path)
  const database = openDatabase(0)
  try {
    attach({ connection: { database, free: [] }, name: names[0] }, probe)
    return false
  } catch (cause) {
    return isBusy(cause)
  } finally {
    database.close()
    rmSync(probe, { force: true })
  }
}

function isBusy(cause: unknown): boolean {
  const code = sqliteCode(cause)
  return code === SQLITE_BUSY || code === SQLITE_LOCKED
}
