import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { timeSlices } from '@parley/host'
import { parseJson } from '@parley/text'
import { contentHash } from '../patch/file-plan.ts'
import { readOrNull, writePrivately } from './content-store.ts'
import type { WatchedFile } from './watched-file.ts'

/** Form of a line; a table in another form is not used. */
const form = 1

type StoredRow = readonly [
  path: string,
  ino: number,
  sizeBytes: number,
  mtimeMs: number,
  ctimeMs: number,
  mode: number,
  hash: string,
]

/** Returns the path of the table of some folders, in the folder of the contents. */
export function tableFile(folder: string, roots: readonly string[]): string {
  return join(folder, 'tables', contentHash(JSON.stringify(roots)).slice(0, 32))
}

/**
 * Writes which content each file had, so that the next conversation in this folder does not read them all again. A
 * cache: without it everything is read anew.
 */
export async function writeTable(path: string, files: ReadonlyMap<string, WatchedFile>): Promise<void> {
  const slices = timeSlices()
  const lines = [JSON.stringify({ form })]
  for (const [name, { ino, sizeBytes, mtimeMs, ctimeMs, mode, isFresh, content }] of [...files]) {
    if (isFresh || content?.hash === undefined || content.link === true) continue
    const row: StoredRow = [name, ino, sizeBytes, mtimeMs, ctimeMs, mode, content.hash]
    lines.push(JSON.stringify(row))
    if (slices.isOver()) await slices.next()
  }
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writePrivately(path, Buffer.from(lines.join('\n')))
  } catch {
    // The next conversation reads the files again.
  }
}

/** Reads a table; empty when it is missing or in another form. */
export async function readTable(path: string): Promise<ReadonlyMap<string, WatchedFile>> {
  const files = new Map<string, WatchedFile>()
  const [head = '', ...lines] = readOrNull(path)?.toString('utf8').split('\n') ?? []
  if (head !== JSON.stringify({ form })) return files
  const slices = timeSlices()
  for (const line of lines) {
    const row = rowOf(line)
    if (row === null) return new Map()
    const [name, ino, sizeBytes, mtimeMs, ctimeMs, mode, hash] = row
    const content = { hash, mode: mode & 0o7777 }
    files.set(name, { ino, sizeBytes, mtimeMs, ctimeMs, mode, isLink: false, isFresh: false, content })
    if (slices.isOver()) await slices.next()
  }
  return files
}

function rowOf(line: string): StoredRow | null {
  const row = parseJson(line)
  return isRow(row) ? row : null
}

function isRow(row: unknown): row is StoredRow {
  if (!Array.isArray(row) || row.length !== 7) return false
  const [name, ...rest]: unknown[] = row
  const hash = rest.pop()
  return typeof name === 'string' && typeof hash === 'string' && rest.every((value) => typeof value === 'number')
}
