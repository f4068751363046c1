import { dirname } from 'node:path'
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { createFile, makeFolders } from '../disk/file-io.ts'
import { type Files, type FolderEntries, hasCode, StorageError } from '../disk/files.ts'
import { sqliteCode } from '../disk/sqlite-code.ts'

/** Version of the tables; a database of another version is made anew. */
const tablesVersion = 1

/** Wait for another process that writes, in ms. */
const contentionMs = 5000

const tables = `
  create table facts (name text primary key, value integer not null) without rowid;
  create table logs (
    number integer primary key,
    id text not null unique,
    inode integer not null,
    size_bytes integer not null,
    modified_at_ms real not null,
    read_bytes integer not null,
    last_crc integer not null,
    left_out integer not null
  );
  create virtual table texts using fts5 (
    text, content = '', contentless_delete = 1, tokenize = "unicode61 remove_diacritics 2"
  );
`

/** Opens or makes a database. Removes one of another version or that cannot be read first. Throws `StorageError`. */
export function openSearchDatabase(files: Files, path: string, version: number): DatabaseSync {
  try {
    return opened(files, path, version)
  } catch (error) {
    if (!isDoubtful(error)) throw sqliteStorageError(error, path)
  }
  removeSearchDatabase(files, path)
  try {
    return opened(files, path, version)
  } catch (error) {
    throw sqliteStorageError(error, path)
  }
}

/** Removes the database. A process that has it open goes on in the removed file and leaves the new one alone. */
export function removeSearchDatabase(files: FolderEntries, path: string): void {
  for (const ending of ['', '-wal', '-shm']) files.removeTree(`${path}${ending}`)
}

function opened(files: Files, path: string, version: number): DatabaseSync {
  const sqlite = process.getBuiltinModule('node:sqlite')
  if (sqlite === undefined) throw new StorageError({ code: 'ENOSYS', operation: 'open', path })
  makePrivate(files, path)
  const database = new sqlite.DatabaseSync(path, { timeout: contentionMs })
  try {
    // Freed pages are overwritten: deleted words must not stay in the file.
    database.exec('pragma journal_mode = wal; pragma synchronous = normal; pragma secure_delete = on')
    const wanted = tablesVersion * 1000 + version
    const found = Number(database.prepare('pragma user_version').get()?.['user_version'])
    if (found !== wanted) makeTables(database, found, wanted)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

function makeTables(database: DatabaseSync, found: number, wanted: number): void {
  if (found !== 0) throw new OldDatabaseError()
  database.exec('begin immediate')
  // Another process may have made them since.
  if (Number(database.prepare('pragma user_version').get()?.['user_version']) === 0)
    database.exec(`${tables} pragma user_version = ${wanted}`)
  database.exec('commit')
}

class OldDatabaseError extends Error {
  override readonly name = 'OldDatabaseError'
}

/** Creates the empty file, since SQLite would let others of this machine read it. */
function makePrivate(files: Files, path: string): void {
  const found = files.look(path)
  // SQLite would follow a link, and write to whatever database it leads to.
  if (found?.kind === 'other') files.remove(path)
  else if (found !== null) return
  makeFolders(files, dirname(path))
  try {
    files.close(createFile(files, path))
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  }
}

/** SQLITE_ERROR, SQLITE_INTERNAL, SQLITE_CORRUPT, SQLITE_SCHEMA, SQLITE_MISMATCH and SQLITE_NOTADB. */
const doubts: ReadonlySet<number> = new Set([1, 2, 11, 17, 20, 26])

/** Returns true for an error that makes the content of the database doubtful. */
export function isDoubtful(error: unknown): boolean {
  const code = sqliteCode(error)
  return error instanceof OldDatabaseError || (code !== null && doubts.has(code))
}

const errnoOf: Readonly<Record<number, string>> = { 3: 'EACCES', 5: 'EBUSY', 6: 'EBUSY', 8: 'EROFS', 13: 'ENOSPC' }

/** Turns an error of SQLite into a `StorageError`; returns other errors unchanged. */
export function sqliteStorageError(error: unknown, path: string): unknown {
  const code = sqliteCode(error)
  if (code === null) return error
  return new StorageError({ code: errnoOf[code] ?? 'EIO', operation: 'search', path, cause: error })
}

/** Runs `act` in a transaction, which is taken back when it throws. */
export function inTransaction<Result>(database: DatabaseSync, act: () => Result): Result {
  database.exec('begin immediate')
  try {
    const result = act()
    database.exec('commit')
    return result
  } catch (error) {
    if (database.isTransaction) database.exec('rollback')
    throw error
  }
}

/** Returns the size of the used pages, in bytes. */
export function sizeBytes(database: DatabaseSync): number {
  const { page_count: pages } = first(database, 'pragma page_count')
  const { page_size: size } = first(database, 'pragma page_size')
  const { freelist_count: free } = first(database, 'pragma freelist_count')
  return (Number(pages) - Number(free)) * Number(size)
}

/** Returns the number kept under a name; 0 for an unknown name. */
export function fact(database: DatabaseSync, name: string): number {
  return Number(database.prepare('select value from facts where name = ?').get(name)?.['value'] ?? 0)
}

export function setFact(database: DatabaseSync, name: string, value: number): void {
  if (fact(database, name) === value) return
  database.prepare('insert into facts values (?1, ?2) on conflict (name) do update set value = ?2').run(name, value)
}

export function first(database: DatabaseSync, query: string): Readonly<Record<string, SQLOutputValue>> {
  return database.prepare(query).get() ?? {}
}
