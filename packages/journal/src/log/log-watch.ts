import {
  type FileFacts,
  type Files,
  LOG_CHANGED,
  LOG_DELETED,
  LOG_MOVED,
  LOG_REPLACED,
  type OpenFile,
  quietly,
  StorageError,
} from '../disk/files.ts'

/**
 * Detects changes of a log by other processes since the last write, by two stat calls (2 µs). Final, except that a
 * renamed log may be put back.
 */
export class LogWatch {
  readonly #files: Files
  readonly #file: OpenFile
  #own: FileFacts | null = null
  #lost: StorageError | null = null

  constructor(files: Files, file: OpenFile) {
    this.#files = files
    this.#file = file
  }

  /** First loss that cannot be mended; after it the log takes no writes and no reads. */
  get lost(): StorageError | null {
    return this.#lost
  }

  /** Throws unless the path leads to this file and it has `sizeBytes`; null accepts any length. */
  assertUnchanged(sizeBytes: number | null): void {
    if (this.#lost !== null) throw this.#lost
    const entry = this.#files.look(this.#file.path)
    this.#own ??= this.#files.stat(this.#file)
    if (entry?.inode !== this.#own.inode || entry.device !== this.#own.device) throw this.#misplaced(entry)
    if (sizeBytes !== null && entry.sizeBytes !== sizeBytes) throw this.#loss(LOG_CHANGED)
  }

  /** Throws when the file was deleted, or others wrote to it, during a write. */
  assertWritten(sizeBytes: number): void {
    const own = quietly(() => this.#files.stat(this.#file))
    // The line is written: a failed stat does not disprove that, and the next write checks again.
    if (own === null) return
    if (own.links === 0) throw this.#misplaced(this.#files.look(this.#file.path))
    if (own.sizeBytes !== sizeBytes) throw this.#loss(LOG_CHANGED)
  }

  /** Throws when more bytes follow `sizeBytes` than our failed write may have left: cutting would lose them. */
  assertTailIsOurs(sizeBytes: number, writtenBytes: number): void {
    if (this.#files.stat(this.#file).sizeBytes > sizeBytes + writtenBytes) throw this.#loss(LOG_CHANGED)
  }

  #misplaced(entry: FileFacts | null): StorageError {
    const isKept = this.#files.stat(this.#file).links > 0
    if (isKept) return new StorageError({ code: LOG_MOVED, operation: 'write', path: this.#file.path })
    return this.#loss(entry === null ? LOG_DELETED : LOG_REPLACED)
  }

  #loss(code: string): StorageError {
    this.#lost ??= new StorageError({ code, operation: 'write', path: this.#file.path })
    return this.#lost
  }
}
