import { crc32 } from 'node:zlib'
import { timeSlices } from '@parley/host'
import { isRecord } from '@parley/text'
import { readFile, replaceFile } from '../disk/file-io.ts'
import type { FileFacts, Files, OpenFile } from '../disk/files.ts'
import { checksumState, parseJson, withChecksum } from '../line/line.ts'
import type { LogHeader } from './header.ts'
import { bodyStartOf, readHeader } from './header.ts'
import { holdsMark, type LogMark } from './log-mark.ts'

/** Raise it when checkpoints are written differently: one of another format is not read. */
const FORMAT = 1
/** Content beyond which none is written: reading it would cost more than it saves. */
const MAX_CONTENT_BYTES = 64 * 1024 * 1024

/** Content that a log folds to up to a mark, with the facts of the file by which a later opening knows it again. */
export interface Checkpoint {
  /** Version of the program and of its fold; only one of the same key is read. */
  readonly key: string
  readonly header: LogHeader
  readonly mark: LogMark
  readonly stamp: Stamp
  /** True once the whole log was found to fold to this content. */
  readonly proven: boolean
  /** JSON. */
  readonly content: string
}

/** Facts that a file keeps only as long as it is not written to. */
export interface Stamp {
  readonly inode: number
  readonly device: number
  readonly sizeBytes: number
  readonly modifiedAtMs: number
  readonly changedAtMs: number
}

/**
 * Reads a checkpoint. Returns null for none, and for one that is damaged, of another key, or of another file than the log:
 * the log is then read from its beginning.
 */
export async function readCheckpoint(
  files: Files,
  path: string,
  { log, key }: { readonly log: OpenFile; readonly key: string },
): Promise<Checkpoint | null> {
  const found = decodeCheckpoint(readFile(files, path))
  if (found === null || found.key !== key) return null
  if (JSON.stringify(found.header) !== JSON.stringify(readHeader(files, log))) return null
  const isUnchanged = isSameStamp(found.stamp, stampOf(files.stat(log)))
  const bodyStart = bodyStartOf(files, log)
  const isHeld = await holdsMark(files, log, { mark: found.mark, bodyStart, isUnchanged, slices: timeSlices() })
  return isHeld ? found : null
}

/** Writes the checkpoint of a log, in one step and without waiting for the disk. Returns its size. */
export function writeCheckpoint(files: Files, path: string, checkpoint: Checkpoint): number {
  const text = encodeCheckpoint(checkpoint)
  if (text.length > MAX_CONTENT_BYTES) return 0
  replaceFile(files, path, text)
  return text.length
}

export function stampOf({ inode, device, sizeBytes, modifiedAtMs, changedAtMs }: FileFacts): Stamp {
  return { inode, device, sizeBytes, modifiedAtMs, changedAtMs }
}

function isSameStamp(a: Stamp, b: Stamp): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

/** Encodes a checkpoint as two lines: the head with its checksum, and the content that the head has the checksum of. */
function encodeCheckpoint({ key, header, mark, stamp, proven, content }: Checkpoint): string {
  const contentBytes = Buffer.byteLength(content)
  const head = { checkpoint: FORMAT, key, header, mark, stamp, proven, contentBytes, contentCrc: crc32(content) }
  return `${withChecksum(JSON.stringify(head)).text}\n${content}\n`
}

function decodeCheckpoint(bytes: Buffer | null): Checkpoint | null {
  const headEnd = bytes?.indexOf('\n') ?? -1
  if (bytes === null || headEnd < 0) return null
  const headLine = bytes.subarray(0, headEnd)
  const head = checksumState(headLine) === 'intact' ? parseJson(headLine.toString()) : undefined
  if (!isHead(head)) return null
  const content = bytes.subarray(headEnd + 1, -1)
  const isWhole = content.length === head.contentBytes && bytes.at(-1) === LF
  if (!isWhole || crc32(content) !== head.contentCrc) return null
  const { key, header, mark, stamp, proven } = head
  return { key, header, mark, stamp, proven, content: content.toString() }
}

const LF = 0x0a

interface Head extends Omit<Checkpoint, 'content'> {
  readonly contentBytes: number
  readonly contentCrc: number
}

/** Tests the format alone: the checksum has shown that the rest is as a program of this format wrote it. */
function isHead(value: unknown): value is Head {
  if (!isRecord(value) || value['checkpoint'] !== FORMAT) return false
  return isRecord(value['header']) && isRecord(value['mark']) && isRecord(value['stamp'])
}
