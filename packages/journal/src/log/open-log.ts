import type { ConversationId } from '@parley/protocol'
import { writeAll } from '../disk/file-io.ts'
import { type FileContents, type Files, LOG_LINKED, type OpenFile, StorageError } from '../disk/files.ts'
import { conversationIdOf } from '../disk/session-paths.ts'
import { type Damage, type LossReports, type SeqRange, unnamedLosses } from './damage.ts'
import { EventLog } from './event-log.ts'
import { encodeHeader, LOG_FORMAT, type LogHeader, newHeader, readHeader } from './header.ts'
import { keepMarks, type LogMark, type MarkedLine, type MarkKeeper } from './log-mark.ts'
import { type LogLine, lineCrc } from './read-log.ts'
import { crcWith, type LogPoint, type LogScan, type LogTail, scanLog } from './scan-log.ts'
import { keepTornPiece } from './torn-piece.ts'

export interface OpenLogOptions {
  /** Reads the losses that earlier openings reported in the log. */
  readonly reports?: LossReports
  /** Called with every good line in order. */
  readonly visit?: (line: LogLine) => unknown
  /** Chooses the mark to go on from once the log is open; null to read all of it. */
  readonly from?: (file: OpenFile) => Promise<LogMark | null>
  /** Folders that the first sync covers: the process that made the log may have ended before it synced them. */
  readonly folders?: readonly string[]
}

type OpenedLog =
  /** A log of a newer program: `LogView` can read it, nothing may write it. */
  { readonly readOnly: true; readonly reason: string; readonly header: LogHeader } | WritableLog

export interface WritableLog {
  readonly readOnly: false
  readonly log: EventLog
  /** Header; null when it is damaged. The id then comes from the file name, and the fork point is lost. */
  readonly header: LogHeader | null
  readonly conversationId: ConversationId
  /** Higher than any seq in the log, damaged lines included. */
  readonly nextSeq: number
  /** The last good line; null for a log without one. */
  readonly last: LogPoint | null
  /** Missing events that no report in the log names yet. */
  readonly lost: readonly SeqRange[]
  /** All damage, reported or not. */
  readonly damage: readonly Damage[]
  /** Cut last line that this opening closed. */
  readonly torn: TornPiece | null
  /** Lines edited by hand, accepted without a checksum. */
  readonly uncheckedSeqs: readonly number[]
}

interface TornPiece {
  readonly byteOffset: number
  readonly sizeBytes: number
  /** Path of a copy; null when it could not be written. The piece also stays in the log, as a bad line. */
  readonly keptAt: string | null
}

/**
 * Opens a log for the holder of its lock and heals its end. Damage never prevents that: only the disk can (throws
 * `StorageError`), and a newer format makes the log read-only.
 */
export async function openLog(files: Files, path: string, options: OpenLogOptions = {}): Promise<OpenedLog> {
  const file = files.open(path, 'edit')
  let opened: OpenedLog | undefined
  try {
    const header = readHeader(files, file)
    if (header === null) assertOneName(files, file)
    opened =
      header !== null && header.minReader > LOG_FORMAT
        ? { readOnly: true, reason: newerLogText(header.minReader), header }
        : await openWritable(files, file, { header, options })
    return opened
  } finally {
    if (opened === undefined || opened.readOnly) files.close(file)
  }
}

/** Throws for a file with a further name, before its end is healed: it may be a file of something else. */
function assertOneName(files: FileContents, file: OpenFile): void {
  if (files.stat(file).links > 1) throw new StorageError({ code: LOG_LINKED, operation: 'open', path: file.path })
}

export function newerLogText(format: number): string {
  return `This conversation was written by a newer parley (log format ${format}), so it can only be read here. Update parley to go on in it.`
}

async function openWritable(
  files: Files,
  file: OpenFile,
  { header, options }: { header: LogHeader | null; options: OpenLogOptions },
): Promise<WritableLog> {
  const { reports, visit, from: choose, folders: unsyncedFolders = [] } = options
  const from = (await choose?.(file)) ?? undefined
  const scan = await scanLog(files, file, {
    ...(reports === undefined ? {} : { reports }),
    ...(visit === undefined ? {} : { visit }),
    ...(from === undefined ? {} : { from }),
  })
  const torn = scan.tail === null ? null : closeTail(files, file, scan.tail)
  const conversationId = header?.conversationId ?? conversationIdOf(file.path)
  const { bodyStart } = scan
  const marks = torn === null ? marksAfter(scan, { reports, from }) : null
  const { sizeBytes } = files.stat(file)
  const log = new EventLog(files, file, { sizeBytes, unsyncedFolders, bodyStart, marks })
  const written = header ?? headerForEmpty(log, scan, conversationId)
  return { readOnly: false, log, header: written, conversationId, torn, ...findings(scan) }
}

/** Returns the keeper of marks for later lines. Null without a header, or with a line too long to read. */
function marksAfter(
  scan: LogScan,
  { reports, from }: { readonly reports: LossReports | undefined; readonly from: LogMark | undefined },
): MarkKeeper | null {
  const { bodyStart, prefixCrc: crc, named, uncheckedSeqs, tally } = scan
  const prefixCrc = scan.tail === null ? crc : crcWith(crc, { bytes: Buffer.alloc(0), terminated: true })
  if (prefixCrc === null || bodyStart === 0) return null
  const newest = endLine(scan, from)
  return keepMarks({ bodyStart, prefixCrc, damage: tally.damage, named, uncheckedSeqs, newest }, reports)
}

/** Returns the newest line where the log ends with it; null else. */
function endLine({ newest, endOffset, bodyStart }: LogScan, from: LogMark | undefined): MarkedLine | null {
  if (newest === null) {
    if (from === undefined || bodyStart + from.endPlace !== endOffset) return null
    return { seq: from.seq, crc: from.crc, byteOffset: bodyStart + from.linePlace, endOffset }
  }
  if (newest.unchecked || newest.endOffset !== endOffset) return null
  const { seq, byteOffset } = newest
  // An LF that the line lacked was added since.
  return { seq, crc: lineCrc(newest), byteOffset, endOffset: byteOffset + newest.bytes.length + 1 }
}

function findings(scan: LogScan) {
  const { tally, last, named, uncheckedSeqs } = scan
  return {
    nextSeq: tally.highest + 1,
    last,
    lost: unnamedLosses(tally.damage, named),
    damage: tally.damage,
    uncheckedSeqs,
  }
}

/** Ends the last line with an LF, so that the next one is whole, then copies the torn piece, which may fail. */
function closeTail(files: Files, file: OpenFile, tail: LogTail): TornPiece | null {
  writeAll(files, file, Buffer.from('\n'))
  if (tail.isWhole) return null
  const { byteOffset, endOffset } = tail
  const keptAt = keepTornPiece(files, file, { byteOffset, endOffset })
  return { byteOffset, sizeBytes: endOffset - byteOffset, keptAt }
}

/** Writes a header to a log without one and without events, as a crash right after its creation leaves it. */
function headerForEmpty(log: EventLog, scan: LogScan, conversationId: ConversationId): LogHeader | null {
  const isEmpty = scan.last === null && scan.tally.highest === 0
  if (!isEmpty) return null
  const header = newHeader(conversationId)
  log.append([encodeHeader(header)])
  return header
}
