import type { Files, OpenFile } from './files.ts'
import type { LogHeader } from './header.ts'
import { type LogLine, type ReadOptions, readHeader, readLog } from './read-log.ts'
import { seekAfter } from './seek-log.ts'

/** Reading a log, our own or one that another process appends to; changes nothing and needs no lock. */
export class LogView implements Disposable {
  readonly #files: Files
  readonly #file: OpenFile
  #closed = false

  private constructor(files: Files, file: OpenFile) {
    this.#files = files
    this.#file = file
  }

  static open(files: Files, path: string): LogView {
    return new LogView(files, files.open(path, 'read'))
  }

  sizeBytes(): number {
    return this.#files.stat(this.#file).sizeBytes
  }

  header(): LogHeader | null {
    return readHeader(this.#files, this.#file)
  }

  /** With `after` and no offset the place is searched for; both together are the way to read on. */
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
