import type { FileFacts, Files, OpenFile } from '../disk/files.ts'
import { LOG_CHANGED, LOG_DELETED, LOG_MOVED, LOG_REPLACED, StorageError } from '../disk/storage-error.ts'

/**
 * Notices what others did to a log since its writer's last write: deleted, renamed, replaced, cut or written to. Costs
 * two looks a write, about 2 µs. What is lost stays lost, except that a renamed log may be put back.
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

  /** Set for ever by the first loss that cannot be mended: nothing more may be written or read through this log. */
  get lost(): StorageError | null {
    return this.#lost
  }

  /** Throws unless the path leads to this very file and it has `sizeBytes`; null: any length. */
  assertAsLeft(sizeBytes: number | null): void {
    if (this.#lost !== null) throw this.#lost
    const entry = this.#files.look(this.#file.path)
    this.#own ??= this.#files.stat(this.#file)
    if (entry?.inode !== this.#own.inode || entry.device !== this.#own.device) throw this.#misplaced(entry)
    if (sizeBytes !== null && entry.sizeBytes !== sizeBytes) throw this.#loss(LOG_CHANGED)
  }

  /** The same after a write, by the descriptor: throws when the file went or others wrote to it meanwhile. */
  assertTaken(sizeBytes: number): void {
    const own = this.#statOrNull()
    // The line is written; a look that fails says nothing against it, and the next write looks again.
    if (own === null) return
    if (own.links === 0) throw this.#misplaced(this.#files.look(this.#file.path))
    if (own.sizeBytes !== sizeBytes) throw this.#loss(LOG_CHANGED)
  }

  /** Throws when more follows `sizeBytes` than one write of ours may have left: to cut that off would lose it. */
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

  #statOrNull(): FileFacts | null {
    try {
      return this.#files.stat(this.#file)
    } catch (error) {
      if (error instanceof StorageError) return null
      throw error
    }
  }
}
