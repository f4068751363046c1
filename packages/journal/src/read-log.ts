import type { Files, OpenFile } from './files.ts'
import { decodeHeader, type LogHeader } from './header.ts'
import { checkLine, decodeLine, type LoggedEnvelope, readPrefix } from './line.ts'
import { crcOf } from './seal.ts'
import { type RawLine, splitLines } from './split-lines.ts'

/** One good line. The bytes are kept as they are: a fork and a client get exactly what was written. */
export interface LogLine {
  readonly seq: number
  readonly type: string
  readonly byteOffset: number
  /** Where the next line begins. */
  readonly endOffset: number
  /** Without the LF. Keep `textOf` rather than this for long: the bytes hold on to their chunk of the file. */
  readonly bytes: Buffer
  /** Edited by hand: there was no checksum to compare. */
  readonly unchecked: boolean
}

export interface ReadOptions {
  /** The beginning of a line: 0 or some line's `endOffset`. */
  readonly fromOffset?: number
  /** Only lines with a higher seq. */
  readonly after?: number
  /** Lines left out by their first bytes, neither parsed nor verified. */
  readonly skipTypes?: ReadonlySet<string>
}

/**
 * The good lines in ascending seq, to the last LF the file has now; bad ones are passed over (opening names them).
 * Works on a log that another process appends to: read on from the last `endOffset`.
 */
export function* readLog(files: Files, file: OpenFile, options: ReadOptions = {}): Generator<LogLine> {
  let last = options.after ?? 0
  for (const raw of splitLines(files, file, options.fromOffset ?? 0)) {
    if (!raw.terminated || raw.bytes === null || isSkipped(raw.bytes, options.skipTypes)) continue
    const line = goodLine(raw, raw.bytes)
    if (line === null || line.seq <= last) continue
    last = line.seq
    yield line
  }
}

/** A header further down would come after more rubbish than one crash leaves. */
const HEADER_WITHIN_BYTES = 64 * 1024

/** The first good line that is a header, looked for only before the first event; null when it is lost. */
export function readHeader(files: Files, file: OpenFile): LogHeader | null {
  for (const { bytes, byteOffset } of splitLines(files, file, 0)) {
    if (byteOffset > HEADER_WITHIN_BYTES) return null
    const header = bytes === null ? null : decodeHeader(bytes)
    if (header !== null) return header
    if (bytes !== null && checkLine(bytes).state !== 'bad') return null
  }
  return null
}

export function textOf(line: LogLine): string {
  return line.bytes.toString()
}

/** Null only for a forged line: right checksum, no envelope. */
export function envelopeOf(line: LogLine): LoggedEnvelope | null {
  return decodeLine(textOf(line))
}

/** With the seq, what a cursor names a line by. */
export function lineCrc(line: LogLine): string {
  return crcOf(line.bytes)
}

function goodLine(raw: RawLine, bytes: Buffer): LogLine | null {
  const check = checkLine(bytes)
  if (check.state === 'bad') return null
  return toLogLine(raw, bytes, check)
}

export function toLogLine(
  raw: RawLine,
  bytes: Buffer,
  check: { readonly state: 'sound' | 'unchecked'; readonly seq: number; readonly type: string },
): LogLine {
  const { byteOffset, endOffset } = raw
  const { seq, type, state } = check
  return { seq, type, byteOffset, endOffset, bytes, unchecked: state === 'unchecked' }
}

function isSkipped(bytes: Buffer, skipTypes: ReadonlySet<string> | undefined): boolean {
  if (skipTypes === undefined) return false
  const prefix = readPrefix(bytes)
  return prefix !== null && skipTypes.has(prefix.type)
}
