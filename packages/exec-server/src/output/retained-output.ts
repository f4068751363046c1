import type { OutputStream } from '@parley/host'
import { createRingMemory, openRingFile, type Ring, type RingMemory } from './ring.ts'

export interface OutputChunk {
  readonly seq: number
  readonly stream: OutputStream
  /** Bytes in base64. */
  readonly chunk: string
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

interface RetainedChunk {
  readonly seq: number
  readonly stream: OutputStream
  readonly sizeBytes: number
  readonly inMemory: number
  /** Position in the file; null for a chunk in memory alone. */
  inFile: number | null
}

/** Newest output of one process: some in memory, more of it in a file, each chunk under its number. */
export class RetainedOutput {
  readonly #limits: RetentionLimits
  readonly #openFile: (capacityBytes: number) => Ring
  readonly #memory: RingMemory
  #kept: RetainedChunk[] = []
  /** Index of the oldest kept chunk, since shifting an array for each chunk is slow. */
  #first = 0
  #pushedBytes = 0
  #lostThrough = 0
  #file: Ring | null = null
  #fileFailed = false

  constructor(limits: RetentionLimits, openFile = openRingFile) {
    this.#limits = limits
    this.#openFile = openFile
    this.#memory = createRingMemory(limits.memoryBytes)
  }

  get memoryBytes(): number {
    return this.#memory.sizeBytes
  }

  /** Bytes that are kept before the oldest chunk is dropped. */
  get capacityBytes(): number {
    return this.#fileFailed ? this.#limits.memoryBytes : this.#limits.fileBytes
  }

  push({ seq, stream }: Pick<OutputChunk, 'seq' | 'stream'>, bytes: Buffer): void {
    this.#pushedBytes += bytes.length
    // Before anything in memory is overwritten.
    if (this.#pushedBytes > this.#limits.memoryBytes) this.#startFile()
    const entry = { seq, stream, sizeBytes: bytes.length, inMemory: this.#memory.write(bytes), inFile: null }
    this.#kept.push(entry)
    if (this.#file !== null) this.#store(entry, bytes)
    this.#lose()
  }

  /**
   * Returns chunks numbered above `afterSeq`, up to `maxBytes` but at least one. `missingThrough`: highest requested
   * number that is no longer kept; null when all are kept.
   */
  read(afterSeq: number, maxBytes: number): { chunks: readonly OutputChunk[]; missingThrough: number | null } {
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
    this.#memory.close()
    this.#kept = []
    this.#first = 0
  }

  #startFile(): void {
    if (this.#file !== null || this.#fileFailed) return
    try {
      this.#file = this.#openFile(this.#limits.fileBytes)
    } catch {
      this.#fileFailed = true // only memory is left, and what it drops is a gap
      return
    }
    for (const entry of this.#kept.slice(this.#first)) {
      this.#store(entry, this.#memory.read(entry.inMemory, entry.sizeBytes))
    }
  }

  #store(entry: RetainedChunk, bytes: Buffer): void {
    try {
      entry.inFile = this.#file?.write(bytes) ?? null
    } catch {
      // On a full disk the file may hold less than was written.
      this.#file?.close()
      this.#file = null
      this.#fileFailed = true
      for (const other of this.#kept) other.inFile = null
    }
  }

  #lose(): void {
    for (let entry = this.#kept[this.#first]; entry !== undefined; entry = this.#kept[this.#first]) {
      const isOneTooMany = this.#kept.length - this.#first > this.#limits.chunks
      if (!isOneTooMany && this.#ringOf(entry) !== null) break
      this.#lostThrough = entry.seq
      this.#first += 1
    }
    if (this.#first <= this.#limits.chunks) return
    this.#kept = this.#kept.slice(this.#first)
    this.#first = 0
  }

  #textOf(entry: RetainedChunk): string {
    const found = this.#ringOf(entry)
    return found?.ring.read(found.position, entry.sizeBytes).toString('base64') ?? ''
  }

  /** Returns the ring that still holds the chunk; null when it is dropped. */
  #ringOf({ inMemory, inFile }: RetainedChunk): { readonly ring: Ring; readonly position: number } | null {
    if (inMemory >= this.#memory.oldest()) return { ring: this.#memory, position: inMemory }
    const file = this.#file
    return file !== null && inFile !== null && inFile >= file.oldest() ? { ring: file, position: inFile } : null
  }

  /** Returns the index of the first chunk above `seq`, by binary search, since numbers only grow. */
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
