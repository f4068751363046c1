import { dirname } from 'node:path'
import { createFile, foldersUpTo, makeFolders, removeQuietly, writeAll } from '../disk/file-io.ts'
import type { Files, OpenFile } from '../disk/files.ts'
import { LOG_CLOSED, StorageError } from '../disk/storage-error.ts'
import { writtenBytes } from '../line/line.ts'
import { GroupedSync } from './grouped-sync.ts'
import { encodeHeader, type LogHeader, raiseMinReader } from './header.ts'
import { LogWatch } from './log-watch.ts'
import { LogView } from './read-log.ts'

/** The one writer of a conversation's log; whoever makes it holds the `WriterLock`. Knows bytes and lines, no events. */
export class EventLog implements AsyncDisposable {
  readonly path: string
  readonly #files: Files
  readonly #file: OpenFile
  readonly #sync: GroupedSync
  readonly #watch: LogWatch
  #sizeBytes: number
  /** Bytes that a failed write may have left after `#sizeBytes`; null: none. */
  #dirtyBytes: number | null = null
  #closed = false

  constructor(files: Files, file: OpenFile, state: { sizeBytes: number; unsyncedFolders?: readonly string[] }) {
    this.path = file.path
    this.#files = files
    this.#file = file
    this.#sizeBytes = state.sizeBytes
    this.#watch = new LogWatch(files, file)
    this.#sync = new GroupedSync(files, file, {
      folders: state.unsyncedFolders ?? [],
      confirm: () => this.assertStored(),
    })
  }

  /** Makes missing folders up from `home`; they are synced by the first `synced()`. EEXIST if there is such a log. */
  static create(files: Files, path: string, start: { header: LogHeader; home: string }): EventLog {
    makeFolders(files, dirname(path))
    const file = createFile(files, path)
    const log = new EventLog(files, file, { sizeBytes: 0, unsyncedFolders: foldersUpTo(dirname(path), start.home) })
    try {
      log.append([encodeHeader(start.header)])
      return log
    } catch (error) {
      // Empty and ours: taken away, so that the caller can simply try again.
      files.close(file)
      removeQuietly(files, path)
      throw error
    }
  }

  /** Where the next line begins. */
  get sizeBytes(): number {
    return this.#sizeBytes
  }

  /**
   * All lines or none, in one write; returns the byte offset of the first. After a retryable failure (`ENOSPC`, …)
   * nothing half-written stays and the same lines may be given again. Throws `LineTooLong` before it writes anything;
   * throws, and for good, when someone else changed the log since the last write; what they wrote is left as it is.
   */
  append(lines: readonly string[]): number {
    this.#assertOpen()
    if (this.#dirtyBytes !== null) this.#cutBack(this.#dirtyBytes)
    this.#watch.assertAsLeft(this.#sizeBytes)
    const byteOffset = this.#sizeBytes
    if (lines.length === 0) return byteOffset
    const bytes = bytesOf(lines)
    this.#dirtyBytes = bytes.length
    try {
      writeAll(this.#files, this.#file, bytes)
      this.#watch.assertTaken(byteOffset + bytes.length)
    } catch (error) {
      this.#cutBackQuietly()
      throw error
    }
    this.#dirtyBytes = null
    this.#sizeBytes += bytes.length
    return byteOffset
  }

  /** Before the first line of this format goes into a log of an earlier one: those programs can only read it then. */
  raiseMinReader(): void {
    this.#assertOpen()
    this.#watch.assertAsLeft(this.#dirtyBytes === null ? this.#sizeBytes : null)
    raiseMinReader(this.#files, this.#file)
  }

  /** Settles when all that is appended now would survive a power cut. A failure is final for this object. */
  synced(): Promise<void> {
    if (this.#closed) return Promise.reject(this.#closedError('sync'))
    return this.#sync.upTo(this.#sizeBytes)
  }

  /** Throws unless what was appended is in the file that the path leads to. */
  assertStored(): void {
    this.#watch.assertAsLeft(this.#dirtyBytes === null ? this.#sizeBytes : null)
  }

  /** To read what was appended, and never another file in its place. */
  view(): LogView {
    this.assertStored()
    return LogView.open(this.#files, this.path)
  }

  /** Syncs first; the descriptor is closed even when that fails, and the failure is thrown. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#cutBackQuietly()
    try {
      // Of a log that is lost, whoever wrote last was told.
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

  /** When even this fails the next append tries again, and failing that the next opening heals the torn line. */
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

const LF = 0x0a

/** Written into one buffer: joined as text first, a long answer would be in memory once more. */
function bytesOf(lines: readonly string[]): Buffer {
  const bytes = Buffer.allocUnsafe(lines.reduce((sum, line) => sum + writtenBytes(line) + 1, 0))
  let end = 0
  for (const line of lines) {
    end += bytes.write(line, end)
    end = bytes.writeUInt8(LF, end)
  }
  return bytes
}
