import type { OutputStream } from '@parley/host'
import { openRingFile, type RingFile } from './ring-file.ts'

export interface OutputChunk {
  readonly seq: number
  readonly stream: OutputStream
  /** As base64. */
  readonly chunk: string
}

export interface RetainedSlice {
  readonly chunks: readonly OutputChunk[]
  /** The highest number that was asked for and is not kept any more. */
  readonly missingThrough: number | null
}

export interface RetentionLimits {
  readonly memoryBytes: number
  readonly fileBytes: number
  readonly chunks: number
}

export const retentionLimits: RetentionLimits = {
  memoryBytes: 1024 * 1024,
  fileBytes: 64 * 1024 * 1024,
  chunks: 16 * 1024,
}

interface Kept {
  readonly seq: number
  readonly stream: OutputStream
  readonly sizeBytes: number
  /** Null when it is only in the file. */
  text: string | null
  /** In the file; null while there is none. */
  position: number | null
}

/** The newest output of one process: some in memory, more of it in a file, each chunk under its number. */
export class RetainedOutput {
  readonly #limits: RetentionLimits
  readonly #openFile: (capacityBytes: number) => RingFile
  #kept: Kept[] = []
  /** Index of the oldest that counts: taking from the front of an array one by one is dear. */
  #first = 0
  /** Index of the oldest that is in memory. */
  #firstInMemory = 0
  #memoryBytes = 0
  #lostThrough = 0
  #file: RingFile | null = null
  #fileFailed = false

  constructor(limits: RetentionLimits, openFile = openRingFile) {
    this.#limits = limits
    this.#openFile = openFile
  }

  get memoryBytes(): number {
    return this.#memoryBytes
  }

  /** How much is kept before the oldest has to go. */
  get capacityBytes(): number {
    return this.#fileFailed ? this.#limits.memoryBytes : this.#limits.fileBytes
  }

  push({ seq, stream, chunk }: OutputChunk, bytes: Buffer): void {
    const entry: Kept = { seq, stream, sizeBytes: bytes.length, text: chunk, position: null }
    this.#kept.push(entry)
    this.#memoryBytes += bytes.length
    if (this.#file !== null) this.#store(entry, bytes)
    else if (this.#memoryBytes > this.#limits.memoryBytes && !this.#fileFailed) this.#startFile()
    this.#leaveMemory()
    this.#lose()
  }

  /** What is numbered above `afterSeq`, up to `maxBytes`, but at least one chunk. */
  read(afterSeq: number, maxBytes: number): RetainedSlice {
    const chunks: OutputChunk[] = []
    let sizeBytes = 0
    for (let index = this.#indexAfter(afterSeq); index < this.#kept.length; index += 1) {
      const entry = this.#kept[index]
      if (entry === undefined || (chunks.length > 0 && sizeBytes + entry.sizeBytes > maxBytes)) break
      chunks.push({ seq: entry.seq, stream: entry.stream, chunk: this.#textOf(entry) })
      sizeBytes += entry.sizeBytes
    }
    return { chunks, missingThrough: this.#lostThrough > afterSeq ? this.#lostThrough : null }
  }

  close(): void {
    this.#file?.close()
    this.#file = null
    this.#kept = []
    this.#first = 0
    this.#firstInMemory = 0
    this.#memoryBytes = 0
  }

  #startFile(): void {
    try {
      this.#file = this.#openFile(this.#limits.fileBytes)
    } catch {
      this.#fileFailed = true // memory is all there is then, and what it loses is a gap
      return
    }
    for (const entry of this.#kept.slice(this.#first)) this.#store(entry, Buffer.from(entry.text ?? '', 'base64'))
  }

  #store(entry: Kept, bytes: Buffer): void {
    try {
      entry.position = this.#file?.write(bytes) ?? null
    } catch {
      // A full disk. What the file has is no longer sure to be what was written.
      this.#file?.close()
      this.#file = null
      this.#fileFailed = true
      for (const other of this.#kept) other.position = null
    }
  }

  #leaveMemory(): void {
    while (this.#memoryBytes > this.#limits.memoryBytes && this.#firstInMemory < this.#kept.length - 1) {
      const entry = this.#kept[this.#firstInMemory]
      if (entry === undefined) break
      entry.text = null
      this.#memoryBytes -= entry.sizeBytes
      this.#firstInMemory += 1
    }
  }

  #lose(): void {
    const oldest = this.#file?.oldest() ?? 0
    for (let entry = this.#kept[this.#first]; entry !== undefined; entry = this.#kept[this.#first]) {
      if (!this.#isLost(entry, oldest)) break
      if (entry.text !== null) this.#memoryBytes -= entry.sizeBytes
      this.#lostThrough = entry.seq
      this.#first += 1
    }
    this.#firstInMemory = Math.max(this.#firstInMemory, this.#first)
    if (this.#first > this.#limits.chunks) this.#compact()
  }

  #isLost(entry: Kept, oldest: number): boolean {
    if (this.#kept.length - this.#first > this.#limits.chunks) return true
    return entry.text === null && (entry.position === null || entry.position < oldest)
  }

  #compact(): void {
    this.#kept = this.#kept.slice(this.#first)
    this.#firstInMemory -= this.#first
    this.#first = 0
  }

  #textOf({ text, position, sizeBytes }: Kept): string {
    if (text !== null) return text
    return position === null ? '' : (this.#file?.read(position, sizeBytes).toString('base64') ?? '')
  }

  /** Numbers only grow, so by halving. */
  #indexAfter(seq: number): number {
    let low = this.#first
    let high = this.#kept.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#kept[middle]?.seq ?? 0) > seq) high = middle
      else low = middle + 1
    }
    return low
  }
}
