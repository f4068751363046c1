import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { ConversationId } from '@parley/protocol'
import type { Files } from '../disk/files.ts'
import { type SessionFile, sessionsFolder } from '../disk/session-paths.ts'
import { type FoundLog, findLogs } from './find-logs.ts'
import { compareLogs, forgetLog, readOnLog, type SearchedTexts } from './indexed-logs.ts'
import {
  fact,
  first,
  inTransaction,
  isDoubtful,
  openSearchDatabase,
  removeSearchDatabase,
  setFact,
  sizeBytes,
  sqliteStorageError,
} from './search-database.ts'
import type { SearchWord } from './search-words.ts'

/** Index of the words in all logs: a cache in `sessions/search.sqlite`, which holds no text. */
export interface TextIndex extends Disposable {
  /** Compares the index with the logs: forgets missing ones. Returns the logs to read, the newest first. */
  survey(): readonly SessionFile[]
  /** Reads on in a log, up to 1 MiB of it. Returns true if there is more to read. */
  readOn(log: SessionFile): boolean
  find(words: readonly SearchWord[]): readonly FoundLog[]
  forget(id: ConversationId): void
  /** Rewrites a part of the file, to remove words of forgotten logs. Returns true once nothing is left to do. */
  purge(): boolean
  /** Number of conversations left out because of the limit of size, the oldest ones. */
  leftOut(): number
}

interface TextIndexPorts {
  readonly files: Files
  readonly home: string
  readonly texts: SearchedTexts
  /** Size from which on the index is made anew with the newest conversations, up to three quarters of it. */
  readonly limitBytes?: number
}

const usualLimitBytes = 512 * 1024 * 1024
/** Pages that one step of a purge rewrites. */
const purgedPages = 500

export function searchIndexPath(home: string): string {
  return join(sessionsFolder(home), 'search.sqlite')
}

/** Opens the index, a new one where it is missing. Throws `StorageError`. */
export function openTextIndex({ files, home, texts, limitBytes = usualLimitBytes }: TextIndexPorts): TextIndex {
  const path = searchIndexPath(home)
  let database = openSearchDatabase(files, path, texts.version)

  function anew(): void {
    database.close()
    removeSearchDatabase(files, path)
    database = openSearchDatabase(files, path, texts.version)
  }

  /** Runs `act`; where it finds the database damaged, the index is made anew and `otherwise` is returned. */
  function guarded<Result>(act: () => Result, otherwise: Result): Result {
    try {
      return act()
    } catch (error) {
      if (database.isTransaction) database.exec('rollback')
      if (!isDoubtful(error)) throw sqliteStorageError(error, path)
      anew()
      return otherwise
    }
  }

  function surveyed(): readonly SessionFile[] {
    if (sizeBytes(database) >= limitBytes) {
      anew()
      setFact(database, 'refilling', 1)
    }
    const due = compareLogs(database, { files, home })
    if (due.length === 0) setFact(database, 'refilling', 0)
    return due
  }

  return {
    survey: () => guarded(surveyed, []),
    readOn(log) {
      return guarded(() => {
        const isTooMuch = fact(database, 'refilling') === 1 && sizeBytes(database) >= limitBytes * 0.75
        return inTransaction(database, () => readOnLog(database, { files, texts, log, isTooMuch }))
      }, false)
    },
    find: (words) => guarded(() => findLogs(database, words), []),
    forget: (id) => guarded(() => inTransaction(database, () => forgetLog(database, id)), undefined),
    purge: () => guarded(() => purge(database), true),
    leftOut: () => guarded(() => Number(first(database, 'select count(*) as n from logs where left_out = 1')['n']), 0),
    [Symbol.dispose]: () => database.close(),
  }
}

/** Merges a part of the index, which drops the words of deleted rows. Returns true once all are dropped. */
function purge(database: DatabaseSync): boolean {
  const stage = fact(database, 'purge')
  if (stage === 0) return true
  const before = Number(first(database, 'select total_changes() as n')['n'])
  // The first step takes all of the index in hand, as it is now; the others go on with that.
  const pages = stage === 1 ? -purgedPages : purgedPages
  database.exec(`insert into texts (texts, rank) values ('merge', ${pages})`)
  const isOver = Number(first(database, 'select total_changes() as n')['n']) - before < 2
  if (isOver || stage === 1) setFact(database, 'purge', isOver ? 0 : 2)
  if (isOver) database.exec('pragma wal_checkpoint(truncate)')
  return isOver
}
