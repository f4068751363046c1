import type { Writable } from 'node:stream'
import { createDrainWaiters, lowMarkBytes } from './transport.ts'

const pieceLength = 64 * 1024

/**
 * Lines on their way to the operating system. Everything sent in one tick, or while a write is under way, is joined
 * into pieces of about 64 KiB; one write at a time, so the stream's own queue never grows.
 */
export class LineWriter {
  readonly #output: Writable
  /** Text to be joined, or a long line as the bytes it takes. */
  readonly #pieces: (string | Buffer)[] = []
  #queuedBytes = 0
  #writingBytes = 0
  #scheduled = false
  #abandoned = false
  readonly #level = createDrainWaiters(() => this.bufferedBytes)

  constructor(output: Writable) {
    this.#output = output
  }

  get bufferedBytes(): number {
    return this.#queuedBytes + this.#writingBytes
  }

  push(line: string): void {
    if (line.includes('\n')) throw new TypeError('a line must not contain a line feed')
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

  /** Encoded at once: to measure it first would be to go through it twice. */
  #pushLong(line: string): void {
    const bytes = encodeLongLine(line)
    this.#queuedBytes += bytes.length
    this.#pieces.push(bytes)
  }

  drained(): Promise<void> {
    return this.#level.whenAtMost(lowMarkBytes)
  }

  flushed(): Promise<void> {
    return this.#level.whenAtMost(0)
  }

  /** Drops what was not written and ignores what follows: nobody can take it any more. */
  abandon(): void {
    this.#abandoned = true
    this.#pieces.length = 0
    this.#queuedBytes = 0
    this.#writingBytes = 0
    this.#level.lowered()
  }

  /** `nextTick` runs after all microtasks, so the answers to all lines of one chunk leave in one write. */
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
    this.#level.lowered()
  }
}

let newest: { readonly line: string; readonly bytes: Buffer } | undefined

/** A long line with its line feed. What goes to many far sides in one tick is encoded once, and forgotten with the tick. */
function encodeLongLine(line: string): Buffer {
  if (newest?.line === line) return newest.bytes
  const bytes = Buffer.from(`${line}\n`)
  if (newest === undefined) process.nextTick(forget)
  newest = { line, bytes }
  return bytes
}

function forget(): void {
  newest = undefined
}
