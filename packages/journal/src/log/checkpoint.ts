import { crc32 } from 'node:zlib'
import { type TimeSlices, timeSlices } from '@parley/host'
import { isRecord, parseJson } from '@parley/text'
import { createUnnamed, openExisting, writeAll } from '../disk/file-io.ts'
import type { FileContents, FileFacts, Files, OpenFile } from '../disk/files.ts'
import { checksumState, withChecksum } from '../line/line.ts'
import { splitLines } from '../line/read-lines.ts'
import { bodyStartOf, type LogHeader, readHeader } from './header.ts'
import { holdsMark, type LogMark } from './log-mark.ts'

/** Raise it when checkpoints are written differently: one of another format is not read. */
const FORMAT = 2
/** Size limit of the content: beyond it, reading a checkpoint would cost more than it saves. */
const MAX_CONTENT_BYTES = 64 * 1024 * 1024
const CHUNK_BYTES = 1024 * 1024

/** Content of a folded log up to a mark, with facts of the file that identify it at a later opening. */
export interface Checkpoint {
  /** Version of the program and of its fold; only one of the same key is read. */
  readonly key: string
  readonly header: LogHeader
  readonly mark: LogMark
  readonly stamp: LogFileStamp
  /** True once the whole log was found to fold to this content. */
  readonly proven: boolean
  /** JSON texts without their LF, each short enough to be parsed in one step. */
  readonly parts: readonly Buffer[]
}

/** Facts that a file keeps only as long as it is not written to. */
export type LogFileStamp = Pick<FileFacts, 'inode' | 'device' | 'sizeBytes' | 'modifiedAtMs' | 'changedAtMs'>

/**
 * Reads a checkpoint; other tasks run in between. Resolves to null when it is missing, damaged, of another key, or of
 * another file than the log: the log is then read from its beginning.
 */
export async function readCheckpoint(
  files: FileContents,
  path: string,
  { log, key }: { readonly log: OpenFile; readonly key: string },
): Promise<Checkpoint | null> {
  const file = openExisting(files, path)
  if (file === null) return null
  const slices = timeSlices()
  try {
    const head = readHead(files, file)
    if (head === null || head.key !== key) return null
    if (JSON.stringify(head.header) !== JSON.stringify(readHeader(files, log))) return null
    const isUnchanged = JSON.stringify(head.stamp) === JSON.stringify(stampOf(files.stat(log)))
    const bodyStart = bodyStartOf(files, log)
    if (!(await holdsMark(files, log, { mark: head.mark, bodyStart, isUnchanged, slices }))) return null
    const content = await readContent(files, file, { head, slices })
    if (content === null) return null
    const { header, mark, stamp, proven } = head
    return { key, header, mark, stamp, proven, parts: linesOf(content) }
  } finally {
    files.close(file)
  }
}

/**
 * Writes the checkpoint of a log, in one step for its readers, in slices, without waiting for the disk. Resolves to its
 * size; to 0 for one too large. Rejects, and leaves nothing, when `slices` do.
 */
export async function writeCheckpoint(
  files: Files,
  path: string,
  { slices = timeSlices(), ...checkpoint }: Checkpoint & { readonly slices?: TimeSlices },
): Promise<number> {
  const { parts } = checkpoint
  const contentBytes = parts.reduce((sum, part) => sum + part.length + 1, 0)
  if (contentBytes > MAX_CONTENT_BYTES) return 0
  using fresh = createUnnamed(files, path)
  writeAll(files, fresh.file, Buffer.from(`${await encodeHead(checkpoint, contentBytes, slices)}\n`))
  for (const part of parts) {
    writeAll(files, fresh.file, Buffer.concat([part, LF]))
    if (slices.isOver()) await slices.next()
  }
  fresh.takeName()
  return contentBytes
}

export function stampOf({ inode, device, sizeBytes, modifiedAtMs, changedAtMs }: FileFacts): LogFileStamp {
  return { inode, device, sizeBytes, modifiedAtMs, changedAtMs }
}

/** Encodes the first line, with its own checksum and the checksum of the parts behind it. */
async function encodeHead(
  { key, header, mark, stamp, proven, parts }: Checkpoint,
  contentBytes: number,
  slices: TimeSlices,
): Promise<string> {
  let contentCrc = 0
  for (const part of parts) {
    contentCrc = crc32(LF, crc32(part, contentCrc))
    if (slices.isOver()) await slices.next()
  }
  const head = { checkpoint: FORMAT, key, header, mark, stamp, proven, contentBytes, contentCrc }
  return withChecksum(JSON.stringify(head)).text
}

const LF = Buffer.from('\n')

interface CheckpointHead extends Omit<Checkpoint, 'parts'> {
  readonly contentBytes: number
  readonly contentCrc: number
  /** Byte offset behind this line. */
  readonly endOffset: number
}

function readHead(files: FileContents, file: OpenFile): CheckpointHead | null {
  for (const { bytes, endOffset, terminated } of splitLines(files, file, 0)) {
    if (bytes === null || !terminated || checksumState(bytes) !== 'intact') return null
    const head = parseJson(bytes.toString())
    return isHead(head) ? { ...head, endOffset } : null
  }
  return null
}

/** Tests the format alone: the checksum has shown that the rest is as a program of this format wrote it. */
function isHead(value: unknown): value is Omit<CheckpointHead, 'endOffset'> {
  if (!isRecord(value) || value['checkpoint'] !== FORMAT) return false
  return isRecord(value['header']) && isRecord(value['mark']) && isRecord(value['stamp'])
}

/** Reads what follows the first line; null unless it is whole and has its checksum. */
async function readContent(
  files: FileContents,
  file: OpenFile,
  { head, slices }: { readonly head: CheckpointHead; readonly slices: TimeSlices },
): Promise<Buffer | null> {
  const { endOffset, contentBytes, contentCrc } = head
  if (contentBytes > MAX_CONTENT_BYTES || files.stat(file).sizeBytes !== endOffset + contentBytes) return null
  const content = Buffer.allocUnsafe(contentBytes)
  let crc = 0
  for (let at = 0; at < contentBytes; ) {
    const count = files.read(file, content.subarray(at, at + CHUNK_BYTES), endOffset + at)
    if (count === 0) return null
    crc = crc32(content.subarray(at, at + count), crc)
    at += count
    if (slices.isOver()) await slices.next()
  }
  return crc === contentCrc ? content : null
}

function linesOf(content: Buffer): readonly Buffer[] {
  const lines: Buffer[] = []
  let from = 0
  for (let end = content.indexOf(LF); end !== -1; end = content.indexOf(LF, from)) {
    lines.push(content.subarray(from, end))
    from = end + 1
  }
  return lines
}
