import { crc32 } from 'node:zlib'
import { type TimeSlices, timeSlices } from '@parley/host'
import type { FileContents, OpenFile } from '../disk/files.ts'
import { checkLine, type RawLine, splitLines } from '../line/read-lines.ts'
import {
  closeTally,
  type DamageTally,
  type LossReports,
  newTally,
  type SeqRange,
  tallyBad,
  tallyForeign,
  tallyGood,
} from './damage.ts'
import { bodyStartOf, decodeHeader, type LogHeader } from './header.ts'
import type { LogMark } from './log-mark.ts'
import { envelopeOf, type LogLine, lineCrc, toLogLine } from './read-log.ts'

/** Position after one line. */
export interface LogPoint {
  readonly seq: number
  readonly crc: string
  /** Byte offset after the line's LF. */
  readonly byteOffset: number
}

interface ScanOptions {
  readonly reports?: LossReports
  /** Called with every good line in order, to fold the log in the same pass. Returns false for one that holds no event. */
  readonly visit?: (line: LogLine) => unknown
  /** Mark that the log was found to hold: the scan goes on behind it. */
  readonly from?: LogMark
  /** Place from which the log is not read; the end of a line. */
  readonly toPlace?: number
  readonly slices?: TimeSlices
}

export interface LogScan {
  header: LogHeader | null
  readonly tally: DamageTally
  /** End of the last good line; set after the last line is scanned. */
  last: LogPoint | null
  newest: LogLine | null
  readonly named: SeqRange[]
  readonly uncheckedSeqs: number[]
  /** The piece after the last LF, if any. */
  tail: LogTail | null
  /** Byte offset behind the header. */
  bodyStart: number
  /** CRC-32 of all bytes from there on; null when a line was too long to be read. */
  prefixCrc: number | null
  /** Byte offset behind everything that was read. */
  endOffset: number
}

export interface LogTail {
  readonly byteOffset: number
  readonly endOffset: number
  /** Only the LF is missing. */
  readonly isWhole: boolean
}

/** Verifies every line of a log and lists the damage. */
export async function scanLog(files: FileContents, file: OpenFile, options: ScanOptions): Promise<LogScan> {
  const { from, toPlace = Infinity, slices = timeSlices() } = options
  const bodyStart = bodyStartOf(files, file)
  const scan = from === undefined ? newScan(bodyStart) : scanFrom(from, bodyStart)
  for (const raw of splitLines(files, file, from === undefined ? 0 : bodyStart + from.endPlace)) {
    if (raw.byteOffset - bodyStart >= toPlace) break
    const isWhole = scanLine(scan, raw, options)
    scan.endOffset = raw.endOffset
    if (raw.byteOffset >= bodyStart) scan.prefixCrc = crcWith(scan.prefixCrc, raw)
    if (!raw.terminated) scan.tail = { byteOffset: raw.byteOffset, endOffset: raw.endOffset, isWhole }
    if (slices.isOver()) await slices.next()
  }
  closeTally(scan.tally)
  if (scan.newest !== null) scan.last = endOf(scan.newest)
  return scan
}

function newScan(bodyStart: number): LogScan {
  const found = { tally: newTally(), named: [], uncheckedSeqs: [] }
  return { header: null, ...found, last: null, newest: null, tail: null, bodyStart, prefixCrc: 0, endOffset: 0 }
}

/** Returns the scan as it was behind the line of a mark. */
function scanFrom(
  { seq, crc, endPlace, prefixCrc, damage, named, uncheckedSeqs }: LogMark,
  bodyStart: number,
): LogScan {
  const found = damage.map((one) => ({ ...one, byteOffset: one.byteOffset + bodyStart }))
  return {
    ...newScan(bodyStart),
    ...{ tally: { ...newTally(), last: seq, highest: seq, damage: found } },
    ...{ last: { seq, crc, byteOffset: bodyStart + endPlace }, prefixCrc, endOffset: bodyStart + endPlace },
    ...{ named: [...named], uncheckedSeqs: [...uncheckedSeqs] },
  }
}

const LF = Buffer.from('\n')

export function crcWith(
  crc: number | null,
  { bytes, terminated }: Pick<RawLine, 'bytes' | 'terminated'>,
): number | null {
  if (crc === null || bytes === null) return null
  const withLine = crc32(bytes, crc)
  return terminated ? crc32(LF, withLine) : withLine
}

function endOf(line: LogLine): LogPoint {
  return { seq: line.seq, crc: lineCrc(line), byteOffset: line.endOffset }
}

function scanLine(scan: LogScan, raw: RawLine, options: ScanOptions): boolean {
  const { byteOffset, bytes } = raw
  if (bytes === null) {
    tallyBad(scan.tally, { byteOffset, reason: 'tooLong', seqHint: null })
    return false
  }
  if (scanHeader(scan, bytes)) return true
  const check = checkLine(bytes)
  if (check.state === 'bad') {
    const reason = isHeaderPlace(scan, raw, check.seqHint) ? 'header' : raw.terminated ? check.reason : 'torn'
    tallyBad(scan.tally, { byteOffset, reason, seqHint: check.seqHint })
    return false
  }
  if (tallyGood(scan.tally, check.seq, byteOffset)) accept(scan, toLogLine(raw, bytes, check), options)
  return true
}

/** Reads a line as the header, which counts only before the first event. */
function scanHeader(scan: LogScan, bytes: Buffer): boolean {
  if (scan.header !== null || scan.tally.last > 0) return false
  scan.header = decodeHeader(bytes)
  return scan.header !== null
}

function isHeaderPlace(scan: LogScan, raw: RawLine, seqHint: number | null): boolean {
  return raw.byteOffset === 0 && scan.header === null && seqHint === null
}

function accept(scan: LogScan, line: LogLine, { reports, visit }: ScanOptions): void {
  scan.newest = line
  if (line.unchecked) scan.uncheckedSeqs.push(line.seq)
  if (reports !== undefined && line.type === reports.type) {
    const envelope = envelopeOf(line)
    if (envelope !== null) for (const range of reports.ranges(envelope.event)) scan.named.push(range)
  }
  if (visit?.(line) === false) tallyForeign(scan.tally, line.seq, line.byteOffset)
}
