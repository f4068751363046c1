import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import { readFile } from '../disk/file-io.ts'
import { type FileContents, type FileFacts, type Files, type FolderEntries, quietly } from '../disk/files.ts'
import { type SessionFile, walkSessions } from '../disk/session-paths.ts'
import type { LogHeader } from '../log/header.ts'
import { type LogLine, LogView } from '../log/read-log.ts'
import { inTransaction, setFact } from './search-database.ts'
import { indexedText } from './search-words.ts'

/** Bytes of a log that are read in one transaction. */
const readAtOnceBytes = 1024 * 1024
/** Bytes before the place up to which a log was read that have to be the same when it is read on. */
const markBytes = 64

/** Decides what of a log is searched. */
export interface SearchedTexts {
  /** Raise it when texts are made differently: an index of another version is made anew. Below 1000. */
  readonly version: number
  /** Types of events that have such text. */
  readonly types: ReadonlySet<string>
  /** Returns the reader of one log's lines; it returns an empty text for a line without any. */
  reader(header: LogHeader | null): (line: LogLine) => string
}

/** Facts that the index keeps of a log. */
interface KnownLog {
  readonly number: number
  readonly inode: number
  /** Size at which it was read to its end; -1 while there is more to read. */
  readonly sizeBytes: number
  readonly modifiedAtMs: number
  readonly readBytes: number
  readonly lastCrc: number
}

/** Forgets missing logs and returns logs that differ from their indexed state, the newest first. */
export function compareLogs(
  database: DatabaseSync,
  { files, home }: { readonly files: FolderEntries; readonly home: string },
): readonly SessionFile[] {
  const known = new Map(
    database
      .prepare('select * from logs')
      .all()
      .map((row) => [String(row['id']), knownLog(row)]),
  )
  const due: (SessionFile & { readonly modifiedAtMs: number })[] = []
  for (const log of walkSessions(files, home)) {
    const facts = factsOf(files, log.path)
    if (facts === null) continue
    const row = known.get(log.id)
    known.delete(log.id)
    if (row === undefined || !isAsRead(row, facts)) due.push({ ...log, modifiedAtMs: facts.modifiedAtMs })
  }
  for (const id of known.keys()) inTransaction(database, () => forgetLog(database, id))
  return due.sort((a, b) => b.modifiedAtMs - a.modifiedAtMs)
}

function factsOf(files: FolderEntries, path: string): FileFacts | null {
  // A log that cannot be looked at stays as it is known: it may be back.
  const facts = quietly(() => files.look(path))
  return facts?.kind === 'file' ? facts : null
}

function isAsRead(row: KnownLog, facts: FileFacts): boolean {
  return row.sizeBytes === facts.sizeBytes && row.modifiedAtMs === facts.modifiedAtMs && row.inode === facts.inode
}

interface LogToIndex {
  readonly files: Files
  readonly texts: SearchedTexts
  readonly log: SessionFile
  /** True where the log is left out because the index is large enough. */
  readonly isTooMuch: boolean
}

/** Reads on in a log, in a transaction: another process may have read it meanwhile. Returns true if there is more. */
export function readOnLog(database: DatabaseSync, { files, texts, log: { id, path }, isTooMuch }: LogToIndex): boolean {
  const facts = factsOf(files, path)
  const found = database.prepare('select * from logs where id = ?').get(id)
  const known = found === undefined ? null : knownLog(found)
  if (facts === null || (known !== null && isAsRead(known, facts))) return false
  const isGrown =
    known !== null && known.inode === facts.inode && markAt(files, path, known.readBytes) === known.lastCrc
  if (known !== null && !isGrown) forgetLog(database, id)
  const from = isGrown ? known.readBytes : 0
  const number = isGrown ? known.number : newNumber(database, id)
  const { readBytes, isWhole } = isTooMuch
    ? { readBytes: from, isWhole: true }
    : indexLines(database, { files, path, texts, number, from })
  const lastCrc = markAt(files, path, readBytes)
  const sizeBytes = isWhole ? facts.sizeBytes : -1
  database
    .prepare(
      'update logs set inode = ?, size_bytes = ?, modified_at_ms = ?, read_bytes = ?, last_crc = ?, left_out = ? where number = ?',
    )
    .run(facts.inode, sizeBytes, facts.modifiedAtMs, readBytes, lastCrc, isTooMuch ? 1 : 0, number)
  return !isWhole
}

interface LinesToIndex {
  readonly files: Files
  readonly path: string
  readonly texts: SearchedTexts
  readonly number: number
  /** Byte offset of the first line to read. */
  readonly from: number
}

/** Puts the words of lines into the index. The id of a row is made of the log's number and the line's byte offset. */
function indexLines(
  database: DatabaseSync,
  { files, path, texts, number, from }: LinesToIndex,
): { readonly readBytes: number; readonly isWhole: boolean } {
  using view = LogView.open(files, path)
  const textOf = texts.reader(view.header())
  const insert = database.prepare('insert into texts (rowid, text) values ((? << 40) | ?, ?)')
  let readBytes = from
  for (const line of view.lines({ fromOffset: from })) {
    const text = texts.types.has(line.type) ? indexedText(textOf(line)) : ''
    if (text !== '') insert.run(number, line.byteOffset, text)
    readBytes = line.endOffset
    if (readBytes - from >= readAtOnceBytes) return { readBytes, isWhole: false }
  }
  return { readBytes, isWhole: true }
}

function newNumber(database: DatabaseSync, id: string): number {
  const insert = database.prepare('insert into logs values (null, ?, 0, -1, 0, 0, 0, 0)')
  return Number(insert.run(id).lastInsertRowid)
}

/** Returns the checksum of the bytes before a byte offset. */
function markAt(files: FileContents, path: string, readBytes: number): number {
  const offset = Math.max(0, readBytes - markBytes)
  return crc32(readFile(files, path, { offset, length: readBytes - offset }) ?? '')
}

export function forgetLog(database: DatabaseSync, id: string): void {
  const number = database.prepare('select number from logs where id = ?').get(id)?.['number']
  if (number === undefined) return
  const { changes } = database
    .prepare('delete from texts where rowid between (?1 << 40) and (((?1 + 1) << 40) - 1)')
    .run(Number(number))
  database.prepare('delete from logs where number = ?').run(Number(number))
  if (changes > 0) setFact(database, 'purge', 1)
}

function knownLog(row: Readonly<Record<string, SQLOutputValue>>): KnownLog {
  return {
    number: Number(row['number']),
    inode: Number(row['inode']),
    sizeBytes: Number(row['size_bytes']),
    modifiedAtMs: Number(row['modified_at_ms']),
    readBytes: Number(row['read_bytes']),
    lastCrc: Number(row['last_crc']),
  }
}
