import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { timeSlices } from '@parley/host'
import type { ConversationId } from '@parley/protocol'
import { isRecord, parseJson } from '@parley/text'
import { readFile, replaceFile } from '../disk/file-io.ts'
import { type FileContents, type FileFacts, type Files, quietly, StorageError } from '../disk/files.ts'
import { type SessionFile, sessionsFolder, walkSessions } from '../disk/session-paths.ts'
import { EXCERPT_BYTES, readExcerpt } from './log-excerpt.ts'

/** Lines to make a row from: all of a small log; both ends of a longer one, and the telling lines between. */
export interface LogExcerpt {
  readonly id: ConversationId
  readonly headLines: readonly string[]
  readonly tellingLines: readonly string[]
  /** Empty when `headLines` are the whole log. */
  readonly tailLines: readonly string[]
  readonly sizeBytes: number
  readonly modifiedAtMs: number
}

/** Makes the rows of a listing; null keeps a log out of it. */
export interface ListingRows<Row> extends RowFormat<Row> {
  /** Types of events that change a row wherever they are in the log. */
  readonly tellingTypes: ReadonlySet<string>
  describe(excerpt: LogExcerpt, earlier: Row | null): Row | null
  /**
   * True where a row follows from the row of the shorter log, handed over as `earlier`, and the telling lines since;
   * some earlier lines are among them. Else all lines are read each time the log has grown.
   */
  readonly goesOn: boolean
}

export interface ListedSession<Row> {
  readonly id: ConversationId
  readonly path: string
  readonly sizeBytes: number
  readonly modifiedAtMs: number
  readonly row: Row
}

/**
 * Lists all conversations, the one written last first. The index is a cache: its row is used only while the log has the
 * same size and time; a lost or damaged index only costs time.
 */
export async function listSessions<Row>(
  files: Files,
  home: string,
  rows: ListingRows<Row>,
): Promise<readonly ListedSession<Row>[]> {
  const cached = readIndex(files, home, rows)
  const entries: IndexEntry<Row>[] = []
  const listed: ListedSession<Row>[] = []
  const slices = timeSlices()
  let reused = 0
  let made = 0
  for (const session of walkSessions(files, home)) {
    const facts = quietly(() => files.look(session.path))
    if (facts?.kind !== 'file') continue
    const known = cached.get(session.id)
    const isFresh = known?.sizeBytes === facts.sizeBytes && known.modifiedAtMs === facts.modifiedAtMs
    const entry = isFresh ? known : await describe(files, { session, facts, rows, known })
    if (entry === null) continue
    entries.push(entry)
    if (entry.row !== null) listed.push({ ...entry, path: session.path, row: entry.row })
    if (isFresh) reused++
    else made++
    if (slices.isOver()) await slices.next()
  }
  if (made > 0 || reused < cached.size) quietly(() => writeIndex(files, home, { format: rows, entries }))
  return listed.sort((a, b) => b.modifiedAtMs - a.modifiedAtMs)
}

/** Returns true for a log that, judging by its file, only got longer since its whole head was read. */
function isGrown({ inode, sizeBytes, row }: IndexEntry<unknown>, facts: FileFacts): boolean {
  return row !== null && inode === facts.inode && sizeBytes >= EXCERPT_BYTES && sizeBytes < facts.sizeBytes
}

interface SessionToDescribe<Row> {
  readonly session: SessionFile
  readonly facts: FileFacts
  readonly rows: ListingRows<Row>
  /** Entry of the log as it was; undefined for a new log. */
  readonly known: IndexEntry<Row> | undefined
}

async function describe<Row>(
  files: FileContents,
  { session, facts, rows, known }: SessionToDescribe<Row>,
): Promise<IndexEntry<Row> | null> {
  const { id, path } = session
  const { sizeBytes, modifiedAtMs, inode } = facts
  const grown = rows.goesOn && known !== undefined && isGrown(known, facts) ? known : undefined
  try {
    const telling = { types: rows.tellingTypes, knownBytes: grown?.sizeBytes ?? 0 }
    const lines = await readExcerpt(files, path, telling)
    if (lines === null) return null
    const row = rows.describe({ id, ...lines, sizeBytes, modifiedAtMs }, grown?.row ?? null)
    return { id, inode, sizeBytes, modifiedAtMs, row }
  } catch (error) {
    if (error instanceof StorageError) return null
    throw error
  }
}

interface IndexEntry<Row> {
  readonly id: ConversationId
  readonly inode: number
  readonly sizeBytes: number
  readonly modifiedAtMs: number
  /** Row of the listing; null for a log that is not listed. */
  readonly row: Row | null
}

interface RowFormat<Row> {
  /** Name of the index in the folder of the logs. */
  readonly fileName: string
  /** Raise it when rows are made differently: an index of another version is not read. */
  readonly version: number
  isRow(value: unknown): value is Row
}

/** Reads an index: a line with the checksum of the rest, then one entry per line. Empty when it is damaged. */
function readIndex<Row>(
  files: FileContents,
  home: string,
  format: RowFormat<Row>,
): ReadonlyMap<string, IndexEntry<Row>> {
  const text = quietly(() => readFile(files, indexPath(home, format)))?.toString() ?? ''
  const headEnd = text.indexOf('\n')
  const body = text.slice(headEnd + 1).trimEnd()
  if (headEnd === -1 || text.slice(0, headEnd) !== headOf(format, body)) return new Map()
  // A single parse for all lines is twice as fast as one per line.
  const values = parseJson(`[${body.replaceAll('\n', ',')}]`)
  const entries = Array.isArray(values) ? values.filter((value) => isEntry(value, format)) : []
  return new Map(entries.map((entry) => [entry.id, entry]))
}

function writeIndex<Row>(
  files: Files,
  home: string,
  { format, entries }: { format: RowFormat<Row>; entries: readonly IndexEntry<Row>[] },
): void {
  const body = entries.map((entry) => JSON.stringify(entry)).join('\n')
  replaceFile(files, indexPath(home, format), `${headOf(format, body)}\n${body}\n`)
}

function indexPath(home: string, { fileName }: RowFormat<unknown>): string {
  return join(sessionsFolder(home), fileName)
}

function headOf(format: RowFormat<unknown>, body: string): string {
  return JSON.stringify({ rowVersion: format.version, crc: crc32(body) })
}

function isEntry<Row>(value: unknown, format: RowFormat<Row>): value is IndexEntry<Row> {
  if (!isRecord(value)) return false
  const { id, inode, sizeBytes, modifiedAtMs, row } = value
  const isNumbered = typeof inode === 'number' && typeof sizeBytes === 'number' && typeof modifiedAtMs === 'number'
  return typeof id === 'string' && isNumbered && (row === null || format.isRow(row))
}
