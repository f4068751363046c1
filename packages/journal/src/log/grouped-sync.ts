import { type Files, type OpenFile, StorageError, storageError } from '../disk/files.ts'

/** Time after which to ask whether a disk that has not ended a sync is stuck. */
export const slowSyncMs = 5000
/** Time after which a sync counts as stuck; below `slowSyncMs`, since a timer can end early by the length of a turn. */
const stuckMs = 4000

/** Runs one fdatasync at a time for any number of callers: calls during one share the next. */
export class GroupedSync {
  readonly #files: Files
  readonly #file: OpenFile
  readonly #confirm: () => void
  #folders: readonly string[]
  #running: { readonly sizeBytes: number; readonly done: Promise<void>; readonly beganMs: number } | null = null
  #waiting: WaitingSync | null = null
  #syncedBytes = 0
  #failure: StorageError | null = null

  /** `folders` are synced once, after the file. `confirm` throws when the path no longer leads to the synced file. */
  constructor(
    files: Files,
    file: OpenFile,
    { folders, confirm }: { readonly folders: readonly string[]; readonly confirm: () => void },
  ) {
    this.#files = files
    this.#file = file
    this.#folders = folders
    this.#confirm = confirm
  }

  /** The first failure. Final: the kernel may have dropped unwritten pages and report success the next time. */
  get failure(): StorageError | null {
    return this.#failure
  }

  /** Number of bytes that would survive a power cut. */
  get syncedBytes(): number {
    return this.#syncedBytes
  }

  /** Error of a disk that has not ended a sync for 4 s; null while it answers. It may still end. */
  get stuck(): StorageError | null {
    if (this.#running === null || performance.now() - this.#running.beganMs < stuckMs) return null
    return new StorageError({ code: 'ETIMEDOUT', operation: 'sync', path: this.#file.path })
  }

  /** Resolves when the first `sizeBytes` bytes are synced. Rejects with `StorageError`. */
  upTo(sizeBytes: number): Promise<void> {
    if (this.#failure !== null) return Promise.reject(this.#failure)
    if (sizeBytes <= this.#syncedBytes) return Promise.resolve()
    if (this.#waiting !== null) return this.#join(this.#waiting, sizeBytes)
    if (this.#running === null) return this.#start(sizeBytes)
    if (sizeBytes <= this.#running.sizeBytes) return this.#running.done
    return this.#wait(sizeBytes, this.#running.done)
  }

  #start(sizeBytes: number): Promise<void> {
    const done = this.#run(sizeBytes)
    this.#running = { sizeBytes, done, beganMs: performance.now() }
    return done
  }

  #wait(sizeBytes: number, running: Promise<void>): Promise<void> {
    const waiting: WaitingSync = { sizeBytes, done: running.then(() => this.#startWaiting(waiting)) }
    this.#waiting = waiting
    return waiting.done
  }

  #join(waiting: WaitingSync, sizeBytes: number): Promise<void> {
    waiting.sizeBytes = Math.max(waiting.sizeBytes, sizeBytes)
    return waiting.done
  }

  #startWaiting(waiting: WaitingSync): Promise<void> {
    this.#waiting = null
    return this.#start(waiting.sizeBytes)
  }

  async #run(sizeBytes: number): Promise<void> {
    try {
      await this.#files.sync(this.#file)
      for (const folder of this.#folders) await this.#files.syncFolder(folder)
      this.#folders = []
      this.#confirm()
      this.#syncedBytes = sizeBytes
    } catch (cause) {
      const { code, operation, path } = storageError('sync', this.#file.path, cause)
      this.#failure = new StorageError({ code, operation, path, retryable: false, cause })
      throw this.#failure
    } finally {
      this.#running = null
    }
  }
}

interface WaitingSync {
  sizeBytes: number
  readonly done: Promise<void>
}
