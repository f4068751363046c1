import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Files, OpenFile } from '../disk/files.ts'
import { checkLine } from '../line/check-line.ts'
import type { LoggedEnvelope } from '../line/line.ts'
import { closeTally, newTally, type SeqRange, type Tally, tallyBad, tallyGood } from './damage.ts'
import { decodeHeader, type LogHeader } from './header.ts'
import { envelopeOf, type LogLine, lineCrc, toLogLine } from './read-log.ts'
import { type RawLine, splitLines } from './split-lines.ts'

/** Position after one line. */
export interface LogPoint {
  readonly seq: number
  readonly crc: string
  /** Byte offset after the line's LF. */
  readonly byteOffset: number
}

/** Event type that reports losses, and how to read the ranges from one; the journal knows no events. */
export interface LossReports {
  readonly type: string
  ranges(event: LoggedEnvelope['event']): readonly SeqRange[]
}

export interface ScanOptions {
  readonly reports?: LossReports
  /** Called with every good line in order, to fold the log in the same pass. */
  readonly visit?: (line: LogLine) => void
}

export interface Scan {
  header: LogHeader | null
  readonly tally: Tally
  /** End of the last good line; set after the last line is scanned. */
  last: LogPoint | null
  newest: LogLine | null
  readonly named: SeqRange[]
  readonly uncheckedSeqs: number[]
  /** The piece after the last LF, if any. */
  tail: Tail | null
}

export interface Tail {
  readonly byteOffset: number
  readonly endOffset: number
  /** Only the LF is missing. */
  readonly isWhole: boolean
}

/** About 20 ms of work, after which other tasks get a turn: a log may have gigabytes. */
const BYTES_PER_TURN = 4 * 1024 * 1024

/** Verifies every line of a log and lists the damage. */
export async function scanLog(files: Files, file: OpenFile, options: ScanOptions): Promise<Scan> {
  const scan: Scan = {
    header: null,
    tally: newTally(),
    last: null,
    newest: null,
    named: [],
    uncheckedSeqs: [],
    tail: null,
  }
  let turnEnds = BYTES_PER_TURN
  for (const raw of splitLines(files, file, 0)) {
    const isWhole = scanLine(scan, raw, options)
    if (!raw.terminated) scan.tail = { byteOffset: raw.byteOffset, endOffset: raw.endOffset, isWhole }
    if (raw.endOffset < turnEnds) continue
    turnEnds = raw.endOffset + BYTES_PER_TURN
    await nextTurn()
  }
  closeTally(scan.tally)
  if (scan.newest !== null) scan.last = endOf(scan.newest)
  return scan
}

function endOf(line: LogLine): LogPoint {
  return { seq: line.seq, crc: lineCrc(line), byteOffset: line.endOffset }
}

function scanLine(scan: Scan, raw: RawLine, options: ScanOptions): boolean {
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
function scanHeader(scan: Scan, bytes: Buffer): boolean {
  if (scan.header !== null || scan.tally.last > 0) return false
  scan.header = decodeHeader(bytes)
  return scan.header !== null
}

function isHeaderPlace(scan: Scan, raw: RawLine, seqHint: number | null): boolean {
  return raw.byteOffset === 0 && scan.header === null && seqHint === null
}

function accept(scan: Scan, line: LogLine, { reports, visit }: ScanOptions): void {
  scan.newest = line
  if (line.unchecked) scan.uncheckedSeqs.push(line.seq)
  if (reports !== undefined && line.type === reports.type) {
    const envelope = envelopeOf(line)
    if (envelope !== null) scan.named.push(...reports.ranges(envelope.event))
  }
  visit?.(line)
}
