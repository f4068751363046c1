import { crc32 } from 'node:zlib'
import { createFile, type Files, StorageError, writeAll } from '@parley/journal'
import { isRecord } from '@parley/text'
import { type ClaimName, claimIn } from './log-subject.ts'

/** Point up to which a store has acknowledged a log. */
export interface AckMark {
  readonly store: string
  /** Byte offset behind the last line that is acknowledged. */
  readonly bytes: number
  /** Sequence of the newest message of the conversation that was seen. */
  readonly sequence: number
  /** Claim that wrote it: a store that was set back has another message at that place. */
  readonly claim: ClaimName
}

/** Returns the mark of a log before anything of it is stored. */
export function emptyMark(store: string): AckMark {
  return { store, bytes: 0, sequence: 0, claim: '0.' }
}

/** All marks are as long, so that each overwrites the one before. */
const markBytes = 200

/** Returns null where the mark is missing or cannot be read. */
export function readMark(files: Files, path: string): AckMark | null {
  if (files.look(path) === null) return null
  const file = files.open(path, 'read')
  try {
    const buffer = Buffer.alloc(markBytes)
    files.read(file, buffer, 0)
    return decode(buffer.toString())
  } finally {
    files.close(file)
  }
}

/** Writes a mark in place of the one before; a killed process leaves the last one that was written. Ignores disk errors. */
export function writeMark(files: Files, path: string, mark: AckMark): void {
  try {
    overwriteMark(files, path, mark)
  } catch (error) {
    // An earlier mark is true, too: more is fetched anew.
    if (!(error instanceof StorageError)) throw error
  }
}

function overwriteMark(files: Files, path: string, mark: AckMark): void {
  const isThere = files.look(path) !== null
  const file = isThere ? files.open(path, 'edit') : createFile(files, path)
  try {
    if (isThere) files.overwrite(file, encode(mark), 0)
    else writeAll(files, file, encode(mark))
  } finally {
    files.close(file)
  }
}

function encode({ store, bytes, sequence, claim }: AckMark): Buffer {
  const text = JSON.stringify({ store, bytes, sequence, claim })
  return Buffer.from(`${crc32(text)} ${text}`.padEnd(markBytes))
}

function decode(text: string): AckMark | null {
  const [, digits = '', body = ''] = /^(\d+) (\{.*\}) *$/.exec(text) ?? []
  if (body === '' || crc32(body) !== Number(digits)) return null
  const value: unknown = JSON.parse(body)
  if (!isRecord(value)) return null
  const { store, bytes, sequence, claim } = value
  if (typeof store !== 'string' || typeof bytes !== 'number' || typeof sequence !== 'number') return null
  return { store, bytes, sequence, claim: claimIn(claim) }
}
