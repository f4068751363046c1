import { dirname } from 'node:path'
import { createFile, foldersUpTo, makeFolders, removeQuietly, temporaryBeside, writeAll } from '../disk/file-io.ts'
import { type Files, LOG_CLOSED, type OpenFile, StorageError } from '../disk/files.ts'
import { writtenBytes } from '../line/line.ts'
import { type Checkpoint, stampOf, writeCheckpoint } from './checkpoint.ts'
import type { LossReports } from './damage.ts'
import { GroupedSync } from './grouped-sync.ts'
import { encodeHeader, type LogHeader, raiseMinReader, readHeader } from './header.ts'
import { keepMarks, type LogMark, type MarkKeeper, NEW_LOG } from './log-mark.ts'
import { LogWatch } from './log-watch.ts'
import { LogView } from './read-log.ts'

interface LogState {
  readonly sizeBytes: number
  readonly unsyncedFolders?: readonly string[]
  /** Byte offset behind the header. */
  readonly bodyStart: number
  readonly marks: MarkKeeper | null
}

/** Writes a conversation's log. Only the holder of the `WriterLock` may create one. Handles lines, not events. */
export class EventLog implements AsyncDisposable {
  readonly path: string
  readonly #files: Files
  readonly #file: OpenFile
  readonly #sync: GroupedSync
  readonly #watch: LogWatch
  #sizeBytes: number
  #bodyStart: number
  /** Keeper of the mark at the end; null where the scan left open which bytes the log begins with. */
  #marks: MarkKeeper | null
  /** Bytes that a failed write may have left after `#sizeBytes`; null after complete writes. */
  #dirtyBytes: number | null = null
  #closed = false

  constructor(files: Files, file: OpenFile, state: LogState) {
    this.path = file.path
    this.#files = files
    this.#file = file
    this.#sizeBytes = state.sizeBytes
    this.#bodyStart = state.bodyStart
    this.#marks = state.marks
    this.#watch = new LogWatch(files, file)
    this.#sync = new GroupedSync(files, file, {
      folders: state.unsyncedFolders ?? [],
      confirm: () => this.assertStored(),
    })
  }

  /** Creates the log and its missing folders, which the first `synced()` syncs. Throws `EEXIST` if it exists. */
  static create(
    files: Files,
    path: string,
    { header, home, reports }: { readonly header: LogHeader; readonly home: string; readonly reports?: LossReports },
  ): EventLog {
    makeFolders(files, dirname(path))
    const file = createFile(files, path)
    const unsyncedFolders = foldersUpTo(dirname(path), home)
    const log = new EventLog(files, file, { sizeBytes: 0, unsyncedFolders, bodyStart: 0, marks: null })
    try {
      log.append([encodeHeader(header)])
      log.#bodyStart = log.#sizeBytes
      log.#marks = keepMarks({ ...NEW_LOG, bodyStart: log.#sizeBytes }, reports)
      return log
    } catch (error) {
      // The empty file would make the caller's next try fail with EEXIST.
      files.close(file)
      removeQuietly(files, path)
      throw error
    }
  }

  /** Byte offset of the next line. */
  get sizeBytes(): number {
    return this.#sizeBytes
  }

  /**
   * Writes all lines in one write, or no line, and returns the byte offset of the first. Throws `LineTooLongError`
   * before that; after a retryable failure the same lines may be given again. Fails for good when another process
   * changed the log.
   */
  append(lines: readonly string[]): number {
    this.#assertOpen()
    if (this.#dirtyBytes !== null) this.#cutBack(this.#dirtyBytes)
    this.#watch.assertUnchanged(this.#sizeBytes)
    const byteOffset = this.#sizeBytes
    if (lines.length === 0) return byteOffset
    const bytes = bytesOf(lines)
    this.#dirtyBytes = bytes.length
    try {
      writeAll(this.#files, this.#file, bytes)
      this.#watch.assertWritten(byteOffset + bytes.length)
    } catch (error) {
      this.#cutBackQuietly()
      throw error
    }
    this.#dirtyBytes = null
    this.#sizeBytes += bytes.length
    this.#marks?.appended(lines, { bytes, byteOffset })
    return byteOffset
  }

  /** Throws `StorageError` while nothing can be appended: writes a small file beside the log, and removes it. */
  probe(): void {
    if (this.stuck !== null) throw this.stuck
    this.append([])
    const path = temporaryBeside(this.path)
    const file = createFile(this.#files, path)
    try {
      writeAll(this.#files, file, Buffer.alloc(probeBytes))
    } finally {
      this.#files.close(file)
      removeQuietly(this.#files, path)
    }
  }

  /** Byte offset of place 0. */
  get bodyStart(): number {
    return this.#bodyStart
  }

  /** Returns the mark behind the newest line; null where no mark is possible. */
  mark(): LogMark | null {
    return this.#marks?.mark() ?? null
  }

  /** Writes the folded log up to a mark, which is its end now. Resolves to the size; to 0 when it was not written. */
  async writeCheckpoint(
    path: string,
    { key, parts, mark }: Pick<Checkpoint, 'key' | 'parts' | 'mark'>,
  ): Promise<number> {
    this.#assertOpen()
    this.assertStored()
    const header = readHeader(this.#files, this.#file)
    if (header === null) return 0
    const stamp = stampOf(this.#files.stat(this.#file))
    return await writeCheckpoint(this.#files, path, { key, header, mark, stamp, proven: false, parts })
  }

  /** Makes the log read-only for programs of earlier formats. Call it before the first line of this format. */
  raiseMinReader(): void {
    this.#assertOpen()
    this.assertStored()
    raiseMinReader(this.#files, this.#file)
  }

  /** Resolves when every line appended so far would survive a power cut. A failure is final for this object. */
  synced(): Promise<void> {
    if (this.#closed) return Promise.reject(this.#closedError('sync'))
    return this.#sync.upTo(this.#sizeBytes)
  }

  /** Error of a disk that has not ended a sync for long; null while it answers. */
  get stuck(): StorageError | null {
    return this.#sync.stuck
  }

  /** True when every line appended so far would survive a power cut. */
  get isSynced(): boolean {
    return this.#sync.syncedBytes >= this.#sizeBytes
  }

  /** Throws `StorageError` unless the path leads to the file that holds the appended lines. */
  assertStored(): void {
    this.#watch.assertUnchanged(this.#dirtyBytes === null ? this.#sizeBytes : null)
  }

  /** Opens the log for reading. Throws `StorageError` when another file is in its place. */
  view(): LogView {
    this.assertStored()
    return LogView.open(this.#files, this.path)
  }

  /** Reads through the log's own descriptor, even when its path leads elsewhere by now. */
  held(): LogView {
    if (this.#closed) throw this.#closedError('read')
    return LogView.over(this.#files, this.#file)
  }

  /** Syncs, then closes the descriptor, also when the sync fails. Throws the failure. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#cutBackQuietly()
    try {
      // A sync of a lost log would report the loss again: the last write threw it.
      if (this.#watch.lost === null) await this.#sync.upTo(this.#sizeBytes)
    } finally {
      this.#files.close(this.#file)
    }
  }

  #assertOpen(): void {
    if (this.#closed) throw this.#closedError('write')
    if (this.#sync.failure !== null) throw this.#sync.failure
    if (this.#watch.lost !== null) throw this.#watch.lost
  }

  #cutBack(dirtyBytes: number): void {
    this.#watch.assertTailIsOurs(this.#sizeBytes, dirtyBytes)
    this.#files.truncate(this.#file, this.#sizeBytes)
    this.#dirtyBytes = null
  }

  /** Removes a half-written line. On failure the next append tries again, or the next opening heals the line. */
  #cutBackQuietly(): void {
    if (this.#dirtyBytes === null || this.#watch.lost !== null) return
    try {
      this.#cutBack(this.#dirtyBytes)
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
    }
  }

  #closedError(operation: string): StorageError {
    return new StorageError({ code: LOG_CLOSED, operation, path: this.path })
  }
}

/** A block of a file system. */
const probeBytes = 4096

const LF = 0x0a

/** Encodes lines into one buffer: joined as text first, a long answer would be in memory once more. */
function bytesOf(lines: readonly string[]): Buffer {
  const bytes = Buffer.allocUnsafe(lines.reduce((sum, line) => sum + writtenBytes(line) + 1, 0))
  let end = 0
  for (const line of lines) {
    end += bytes.write(line, end)
    end = bytes.writeUInt8(LF, end)
  }
  return bytes
}
