import { crc32 } from 'node:zlib'
import type { TimeSlices } from '@parley/host'
import { readSpan } from '../disk/file-io.ts'
import type { FileContents, OpenFile } from '../disk/files.ts'
import { checksumOf, decodeLine } from '../line/line.ts'
import { checkLine, readPrefix } from '../line/read-lines.ts'
import type { Damage, LossReports, SeqRange } from './damage.ts'

/** State of a scan after a good line. Places are byte offsets from the end of the header, so that a copy has the same. */
export interface LogMark {
  readonly seq: number
  readonly crc: string
  readonly linePlace: number
  /** Place of the next line. */
  readonly endPlace: number
  /** CRC-32 of all bytes from the end of the header to `endPlace`. */
  readonly prefixCrc: number
  /** Damage with the places as byte offsets. */
  readonly damage: readonly Damage[]
  readonly named: readonly SeqRange[]
  readonly uncheckedSeqs: readonly number[]
}

/** Follows a log from its scan on, so that a mark can be made behind any line that is appended. */
export interface MarkKeeper {
  /** Notes lines that were written at a byte offset, as the bytes that they were written as. */
  appended(lines: readonly string[], written: { readonly bytes: Buffer; readonly byteOffset: number }): void
  /** Returns the mark behind the newest line; null while no line was appended. */
  mark(): LogMark | null
}

/** State of a scan that ended where new lines begin. */
export interface ScanEnd extends Pick<LogMark, 'prefixCrc' | 'damage' | 'named' | 'uncheckedSeqs'> {
  readonly bodyStart: number
  /** The newest line; null when the log does not end with one that has a checksum. */
  readonly newest: MarkedLine | null
}

export interface MarkedLine {
  readonly seq: number
  readonly crc: string
  readonly byteOffset: number
  readonly endOffset: number
}

export const NEW_LOG = { prefixCrc: 0, damage: [], named: [], uncheckedSeqs: [], newest: null }

export function keepMarks(end: ScanEnd, reports: LossReports | undefined): MarkKeeper {
  const { bodyStart, damage, uncheckedSeqs } = end
  const named = [...end.named]
  let { prefixCrc } = end
  let newest = () => end.newest

  function noteLosses(line: string): void {
    if (reports === undefined || readPrefix(Buffer.from(line.slice(0, PREFIX_CHARACTERS)))?.type !== reports.type)
      return
    const envelope = decodeLine(line)
    if (envelope !== null) for (const range of reports.ranges(envelope.event)) named.push(range)
  }

  return {
    appended(lines, { bytes, byteOffset }) {
      prefixCrc = crc32(bytes, prefixCrc)
      const last = lines.at(-1) ?? ''
      // Not the bytes: a few of them would keep all 64 KiB of the buffer that they are a part of.
      const endOffset = byteOffset + bytes.length
      newest = () => lastLine(last, endOffset)
      for (const line of lines) noteLosses(line)
    },
    mark() {
      const line = newest()
      if (line === null) return null
      return {
        seq: line.seq,
        crc: line.crc,
        linePlace: line.byteOffset - bodyStart,
        endPlace: line.endOffset - bodyStart,
        prefixCrc,
        damage: damage.map((one) => ({ ...one, byteOffset: one.byteOffset - bodyStart })),
        named: [...named],
        uncheckedSeqs,
      }
    },
  }
}

/** Returns a line that ends at a byte offset; null when it has no checksum. */
function lastLine(text: string, endOffset: number): MarkedLine | null {
  const line = Buffer.from(text)
  const check = checkLine(line)
  if (check.state !== 'sound') return null
  return { seq: check.seq, crc: checksumOf(line), byteOffset: endOffset - line.length - 1, endOffset }
}

const LF = 0x0a
const PREFIX_CHARACTERS = 128

const CHUNK_BYTES = 1024 * 1024

/** Returns true where a log still ends the marked line at the mark. Reads it, and all before unless `isUnchanged`. */
export async function holdsMark(
  files: FileContents,
  file: OpenFile,
  { mark, bodyStart, isUnchanged, slices }: MarkCheck,
): Promise<boolean> {
  const end = bodyStart + mark.endPlace
  if (files.stat(file).sizeBytes < end || mark.linePlace < 0 || mark.linePlace >= mark.endPlace) return false
  const line = readSpan(files, file, { offset: bodyStart + mark.linePlace, length: mark.endPlace - mark.linePlace })
  if (line.length !== mark.endPlace - mark.linePlace || line.at(-1) !== LF || line.indexOf(LF) !== line.length - 1)
    return false
  const check = checkLine(line.subarray(0, -1))
  if (check.state !== 'sound' || check.seq !== mark.seq) return false
  if (isUnchanged) return true
  return (await prefixCrcOf(files, file, { from: bodyStart, to: end, slices })) === mark.prefixCrc
}

interface MarkCheck {
  readonly mark: LogMark
  readonly bodyStart: number
  /** True where the file is known to be the same. */
  readonly isUnchanged: boolean
  readonly slices: TimeSlices
}

async function prefixCrcOf(
  files: FileContents,
  file: OpenFile,
  { from, to, slices }: { readonly from: number; readonly to: number; readonly slices: TimeSlices },
): Promise<number | null> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  let crc = 0
  for (let offset = from; offset < to; ) {
    const count = files.read(file, buffer.subarray(0, Math.min(CHUNK_BYTES, to - offset)), offset)
    if (count === 0) return null
    crc = crc32(buffer.subarray(0, count), crc)
    offset += count
    if (slices.isOver()) await slices.next()
  }
  return crc
}
