import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { Files } from './files.ts'
import { isRecord, parseJson } from './line.ts'
import { readFile } from './read-file.ts'
import { sessionsFolder } from './session-paths.ts'
import { StorageError } from './storage-error.ts'
import { replaceFile } from './write-file.ts'

export interface IndexEntry<Row> {
  readonly id: string
  readonly sizeBytes: number
  readonly modifiedAtMs: number
  /** Null: looked at, and not to be listed. */
  readonly row: Row | null
}

export interface RowFormat<Row> {
  /** Rises when rows are made differently: an index of another version is not read. */
  readonly version: number
  isRow(value: unknown): value is Row
}

/** `index.jsonl`: a first line with the checksum of all others, then an entry a line. Anything wrong: an empty map. */
export function readIndex<Row>(
  files: Files,
  home: string,
  format: RowFormat<Row>,
): ReadonlyMap<string, IndexEntry<Row>> {
  const text = readQuietly(files, indexPath(home))
  const headEnd = text.indexOf('\n')
  const body = text.slice(headEnd + 1).trimEnd()
  if (headEnd === -1 || text.slice(0, headEnd) !== headOf(format, body)) return new Map()
  // One parse for all lines is twice as fast as one for each.
  const values = parseJson(`[${body.replaceAll('\n', ',')}]`)
  const entries = Array.isArray(values) ? values.filter((value) => isEntry(value, format)) : []
  return new Map(entries.map((entry) => [entry.id, entry]))
}

export function writeIndex<Row>(
  files: Files,
  home: string,
  { format, entries }: { format: RowFormat<Row>; entries: readonly IndexEntry<Row>[] },
): void {
  const body = entries.map((entry) => JSON.stringify(entry)).join('\n')
  replaceFile(files, indexPath(home), `${headOf(format, body)}\n${body}\n`)
}

function indexPath(home: string): string {
  return join(sessionsFolder(home), 'index.jsonl')
}

function headOf(format: RowFormat<unknown>, body: string): string {
  return JSON.stringify({ rowVersion: format.version, crc: crc32(body) })
}

function readQuietly(files: Files, path: string): string {
  try {
    return readFile(files, path)?.toString() ?? ''
  } catch (error) {
    if (error instanceof StorageError) return ''
    throw error
  }
}

function isEntry<Row>(value: unknown, format: RowFormat<Row>): value is IndexEntry<Row> {
  if (!isRecord(value)) return false
  const { id, sizeBytes, modifiedAtMs, row } = value
  const isNumbered = typeof sizeBytes === 'number' && typeof modifiedAtMs === 'number'
  return typeof id === 'string' && isNumbered && (row === null || format.isRow(row))
}
