import type { FileContents, OpenFile } from '../disk/files.ts'
import { checksumOf, decodeLine, type Line, type LoggedEnvelope, storedLine } from '../line/line.ts'
import { checkLine, type RawLine, splitLines } from '../line/read-lines.ts'
import { bodyStartOf, type LogHeader, readHeader } from './header.ts'

/** Reads a log, also one that another process appends to. Changes nothing and needs no lock. */
export class LogView implements Disposable {
  readonly #files: FileContents
  readonly #file: OpenFile
  #closed: boolean

  private constructor(files: FileContents, file: OpenFile, { isBorrowed }: { readonly isBorrowed: boolean }) {
    this.#files = files
    this.#file = file
    this.#closed = isBorrowed
  }

  static open(files: FileContents, path: string): LogView {
    return new LogView(files, files.open(path, 'read'), { isBorrowed: false })
  }

  /** Reads through the descriptor of another, which the view leaves open. */
  static over(files: FileContents, file: OpenFile): LogView {
    return new LogView(files, file, { isBorrowed: true })
  }

  sizeBytes(): number {
    return this.#files.stat(this.#file).sizeBytes
  }

  header(): LogHeader | null {
    return readHeader(this.#files, this.#file)
  }

  /** Returns the byte offset behind the header, from which places are counted. */
  bodyStart(): number {
    return bodyStartOf(this.#files, this.#file)
  }

  /** Reads the line that begins at a byte offset; null unless that is a good one. */
  lineAt(byteOffset: number): LogLine | null {
    for (const raw of splitLines(this.#files, this.#file, byteOffset))
      return raw.terminated && raw.bytes !== null ? goodLine(raw, raw.bytes) : null
    return null
  }

  /** Runs a reader of the log on its open file. */
  read<Result>(reader: (files: FileContents, file: OpenFile) => Result): Result {
    return reader(this.#files, this.#file)
  }

  /** Reads good lines. `after` alone searches for the place; with `fromOffset` it continues an earlier read. */
  lines(options: ReadOptions = {}): Generator<LogLine> {
    const { after, fromOffset } = options
    if (after === undefined || fromOffset !== undefined) return readLog(this.#files, this.#file, options)
    return readLog(this.#files, this.#file, { ...options, fromOffset: seekAfter(this.#files, this.#file, after) })
  }

  [Symbol.dispose](): void {
    if (this.#closed) return
    this.#closed = true
    this.#files.close(this.#file)
  }
}

/** A good line of a log, with the bytes as they were written. */
export interface LogLine {
  readonly seq: number
  readonly type: string
  readonly byteOffset: number
  /** Byte offset of the next line. */
  readonly endOffset: number
  /** Bytes without the LF. They keep their whole chunk of the file in memory; `textOf` does not. */
  readonly bytes: Buffer
  /** The line was edited by hand and has no checksum. */
  readonly unchecked: boolean
}

interface ReadOptions {
  /** Byte offset of a line: 0 or some line's `endOffset`. */
  readonly fromOffset?: number
  /** Only lines with a higher seq. */
  readonly after?: number
}

/**
 * Reads good lines in ascending seq, up to the last LF the file has now. Bad lines are skipped; `openLog` reports them.
 * To follow a log that another process appends to, read on from the last `endOffset`.
 */
export function* readLog(files: FileContents, file: OpenFile, options: ReadOptions = {}): Generator<LogLine> {
  let last = options.after ?? 0
  for (const raw of splitLines(files, file, options.fromOffset ?? 0)) {
    if (!raw.terminated || raw.bytes === null) continue
    const line = goodLine(raw, raw.bytes)
    if (line === null || line.seq <= last) continue
    last = line.seq
    yield line
  }
}

export function textOf(line: LogLine): string {
  return line.bytes.toString()
}

/** Returns a line of the log as the object that `encodeLine` makes of a new one. */
export function lineOf(line: LogLine): Line {
  const { seq, type, unchecked } = line
  return storedLine({ seq, type, crc: unchecked ? null : lineCrc(line), text: textOf(line) })
}

/** Decodes a line. Returns null only for a forged one: right checksum, no envelope. */
export function envelopeOf(line: LogLine): LoggedEnvelope | null {
  return decodeLine(textOf(line))
}

/** Returns the checksum of a line. Cursors name a line by its seq and checksum. */
export function lineCrc(line: LogLine): string {
  return checksumOf(line.bytes)
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

/** Span below which reading on is cheaper than another probe. */
const LINEAR_BYTES = 64 * 1024

/**
 * Finds a byte offset from which `readLog` with `after: seq` misses no line and reads few others. Bisects the file: its
 * lines are in ascending seq, so no index is needed, not even for gigabytes written by another process.
 */
export function seekAfter(files: FileContents, file: OpenFile, seq: number): number {
  let low = 0
  let high = files.stat(file).sizeBytes
  while (high - low > LINEAR_BYTES) {
    const middle = low + Math.floor((high - low) / 2)
    const probe = firstLineFrom(files, file, { from: middle, to: high })
    if (probe !== null && probe.seq <= seq) low = probe.endOffset
    else high = middle
  }
  return low
}

/** Returns the first good line that begins at or after `from` and before `to`. */
function firstLineFrom(
  files: FileContents,
  file: OpenFile,
  span: { from: number; to: number },
): { seq: number; endOffset: number } | null {
  const start = nextLineStart(files, file, span.from)
  if (start >= span.to) return null
  for (const line of readLog(files, file, { fromOffset: start })) {
    return line.byteOffset < span.to ? line : null
  }
  return null
}

/** Returns the byte offset behind the line that a byte offset is in. */
export function nextLineStart(files: FileContents, file: OpenFile, from: number): number {
  for (const line of splitLines(files, file, from)) return line.endOffset
  return from
}
