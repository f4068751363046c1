import type { Writable } from 'node:stream'
import { assertOneLine, createDrainWaiters } from './transport.ts'

const pieceLength = 64 * 1024

/**
 * Writes lines to a stream. Joins lines of one tick, and lines pushed during a write, into pieces of about 64 KiB. Only
 * one write runs at a time, so the stream's own queue stays empty.
 */
export class LineWriter {
  readonly #output: Writable
  /** Joined short lines as text; each long line as its bytes. */
  readonly #pieces: (string | Buffer)[] = []
  #queuedBytes = 0
  #writingBytes = 0
  #scheduled = false
  #abandoned = false
  readonly #waiters = createDrainWaiters(() => this.bufferedBytes)

  constructor(output: Writable) {
    this.#output = output
  }

  get bufferedBytes(): number {
    return this.#queuedBytes + this.#writingBytes
  }

  push(line: string): void {
    assertOneLine(line)
    if (this.#abandoned) return
    if (line.length >= pieceLength) this.#pushLong(line)
    else this.#pushShort(line)
    this.#schedule()
  }

  #pushShort(line: string): void {
    this.#queuedBytes += Buffer.byteLength(line) + 1
    const last = this.#pieces.at(-1)
    if (typeof last !== 'string' || last.length + line.length >= pieceLength) this.#pieces.push(`${line}\n`)
    else this.#pieces[this.#pieces.length - 1] = `${last}${line}\n`
  }

  /** Encodes at once, since measuring a long line costs as much as encoding it. */
  #pushLong(line: string): void {
    const bytes = encodeLongLine(line)
    this.#queuedBytes += bytes.length
    this.#pieces.push(bytes)
  }

  drained(): Promise<void> {
    return this.#waiters.drained()
  }

  flushed(): Promise<void> {
    return this.#waiters.flushed()
  }

  /** Drops unwritten lines and ignores later ones, because the stream takes no more. */
  abandon(): void {
    this.#abandoned = true
    this.#pieces.length = 0
    this.#queuedBytes = 0
    this.#writingBytes = 0
    this.#waiters.check()
  }

  /** Schedules a write after all microtasks, so that the replies to all lines of one chunk leave in one write. */
  #schedule(): void {
    if (this.#scheduled || this.#writingBytes > 0) return
    this.#scheduled = true
    process.nextTick(() => {
      this.#scheduled = false
      this.#writeNext()
    })
  }

  #writeNext(): void {
    if (this.#writingBytes > 0) return
    const piece = this.#pieces.shift()
    if (piece === undefined) return
    if (!this.#output.writable) {
      this.abandon()
      return
    }
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece
    this.#queuedBytes -= bytes.length
    this.#writingBytes = bytes.length
    this.#output.write(bytes, (error) => this.#written(error))
  }

  #written(error: Error | null | undefined): void {
    if (error) {
      this.abandon()
      return
    }
    this.#writingBytes = 0
    this.#writeNext()
    this.#waiters.check()
  }
}

let newest: { readonly line: string; readonly bytes: Buffer } | undefined

/** Encodes a long line with its line feed. A line sent on many connections in one tick is encoded only once. */
function encodeLongLine(line: string): Buffer {
  if (newest?.line === line) return newest.bytes
  const bytes = Buffer.from(`${line}\n`)
  if (newest === undefined)
    process.nextTick(() => {
      newest = undefined
    })
  newest = { line, bytes }
  return bytes
}
