import { dirname } from 'node:path'
import type { Files, OpenFile } from './files.ts'
import { foldersUpTo, makeFolders } from './folders.ts'
import { GroupedSync } from './grouped-sync.ts'
import { encodeHeader, type LogHeader } from './header.ts'
import { writtenBytes } from './line-limit.ts'
import { LOG_CHANGED, LOG_CLOSED, LOG_MOVED, StorageError } from './storage-error.ts'
import { createFile, removeQuietly, writeAll } from './write-file.ts'

/** The one writer of a conversation's log; whoever makes it holds the `WriterLock`. Knows bytes and lines, no events. */
export class EventLog implements AsyncDisposable {
  readonly path: string
  readonly #files: Files
  readonly #file: OpenFile
  readonly #sync: GroupedSync
  #sizeBytes: number
  /** A failed write may have left bytes after `#sizeBytes`. */
  #tailIsDirty = false
  /** Once per sync is often enough, and costs 3 µs. */
  #placeIsChecked = false
  #closed = false

  constructor(files: Files, file: OpenFile, state: { sizeBytes: number; unsyncedFolders?: readonly string[] }) {
    this.path = file.path
    this.#files = files
    this.#file = file
    this.#sizeBytes = state.sizeBytes
    this.#sync = new GroupedSync(files, file, state.unsyncedFolders ?? [])
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
   * nothing half-written stays and the same lines may be given again. Throws `LineTooLong` before it writes anything.
   */
  append(lines: readonly string[]): number {
    this.#assertOpen()
    if (this.#tailIsDirty) this.#cutBack()
    this.#assertInPlace()
    const byteOffset = this.#sizeBytes
    if (lines.length === 0) return byteOffset
    const bytes = bytesOf(lines)
    this.#tailIsDirty = true
    try {
      writeAll(this.#files, this.#file, bytes)
    } catch (error) {
      this.#cutBackQuietly()
      throw error
    }
    this.#tailIsDirty = false
    this.#sizeBytes += bytes.length
    return byteOffset
  }

  /** Settles when all that is appended now would survive a power cut. A failure is final for this object. */
  synced(): Promise<void> {
    if (this.#closed) return Promise.reject(this.#closedError('sync'))
    this.#placeIsChecked = false
    return this.#sync.upTo(this.#sizeBytes)
  }

  /** Syncs first; the descriptor is closed even when that fails, and the failure is thrown. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    if (this.#tailIsDirty) this.#cutBackQuietly()
    try {
      await this.#sync.upTo(this.#sizeBytes)
    } finally {
      this.#files.close(this.#file)
    }
  }

  #assertOpen(): void {
    if (this.#closed) throw this.#closedError('write')
    if (this.#sync.failure !== null) throw this.#sync.failure
  }

  /** A log renamed, deleted or written by someone else must not take events that its name would not show. */
  #assertInPlace(): void {
    if (this.#placeIsChecked) return
    const entry = this.#files.look(this.path)
    const own = this.#files.stat(this.#file)
    if (entry?.inode !== own.inode || entry.device !== own.device) throw this.#refusal(LOG_MOVED)
    if (own.sizeBytes !== this.#sizeBytes) throw this.#refusal(LOG_CHANGED)
    this.#placeIsChecked = true
  }

  #cutBack(): void {
    this.#files.truncate(this.#file, this.#sizeBytes)
    this.#tailIsDirty = false
  }

  /** When even this fails the next append tries again, and failing that the next opening heals the torn line. */
  #cutBackQuietly(): void {
    try {
      this.#cutBack()
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
    }
  }

  #closedError(operation: string): StorageError {
    return new StorageError({ code: LOG_CLOSED, operation, path: this.path })
  }

  #refusal(code: string): StorageError {
    return new StorageError({ code, operation: 'write', path: this.path })
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
