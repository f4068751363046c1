import type { Duplex } from 'node:stream'
import { invalidParams } from '@parley/rpc'
import { portErrors } from '../wire/requests.ts'
import { createWaiters, type WaitLimit } from '../wire/waiters.ts'

/** Bytes that are kept each way for a side that does not read; the other one waits then. */
const keptBytes = 128 * 1024

/**
 * Connection to a process in a loopback. Its bytes are numbered, so that a request which was repeated after a lost link
 * gives no byte twice.
 */
export class PortConnection {
  readonly #id: string
  readonly #socket: Duplex
  readonly #waiters = createWaiters()
  /** Bytes that no request has taken yet. */
  #coming: Buffer[] = []
  #comingBytes = 0
  /** Bytes of the last answer, until the client confirms them. */
  #given: Buffer = Buffer.alloc(0)
  #arrivedBytes = 0
  #writtenBytes = 0
  #hasEnded = false
  #isLost = false

  constructor(id: string, socket: Duplex) {
    this.#id = id
    this.#socket = socket
    socket
      .on('data', (chunk: Buffer) => this.#take(chunk))
      .on('drain', () => this.#waiters.wake())
      .once('end', () => {
        this.#hasEnded = true
        this.#waiters.wake()
      })
      .once('close', () => {
        this.#isLost = !this.#hasEnded
        this.#waiters.wake()
      })
      .on('error', () => socket.destroy())
      .resume()
  }

  /** Reads on after so many bytes; nothing follows where it has ended. Rejects with `connectionLost` once all was read. */
  async read(afterByte: number, limit: WaitLimit): Promise<{ readonly bytes: Buffer; readonly ended: boolean }> {
    this.#confirm(afterByte)
    const isThere = () => this.#given.length > 0 || this.#comingBytes > 0 || this.#isOver
    await this.#waiters.until(isThere, limit)
    // Meanwhile a repeated request may have read.
    this.#confirm(afterByte)
    if (this.#given.length === 0) this.#give()
    if (this.#given.length === 0 && this.#isLost) throw portErrors.lost(this.#id)
    return { bytes: this.#given, ended: this.#hasEnded && this.#comingBytes === 0 }
  }

  /**
   * Writes what of the bytes was not written before, once there is room; `end`: nothing follows. Returns how many bytes
   * were written so far.
   */
  async write(
    afterByte: number,
    { bytes, end }: { readonly bytes: Buffer; readonly end: boolean },
    limit: WaitLimit,
  ): Promise<number> {
    if (afterByte > this.#writtenBytes) throw invalidParams('afterByte is beyond what was written', 'afterByte')
    const restOf = () => bytes.subarray(Math.max(0, this.#writtenBytes - afterByte))
    if (restOf().length > 0) {
      const hasRoom = () => this.#socket.writableLength < keptBytes
      await this.#waiters.until(() => hasRoom() || this.#socket.destroyed, limit)
      if (this.#socket.destroyed) throw portErrors.lost(this.#id)
      if (!hasRoom()) return this.#writtenBytes
      // Meanwhile a repeated request may have written.
      const rest = restOf()
      this.#socket.write(rest)
      this.#writtenBytes += rest.length
    }
    if (end && !this.#socket.writableEnded) this.#socket.end()
    return this.#writtenBytes
  }

  close(): void {
    this.#coming = []
    this.#comingBytes = 0
    this.#given = Buffer.alloc(0)
    this.#socket.destroy()
  }

  get #isOver(): boolean {
    return this.#hasEnded || this.#isLost
  }

  #take(chunk: Buffer): void {
    this.#coming.push(chunk)
    this.#comingBytes += chunk.length
    if (this.#comingBytes >= keptBytes) this.#socket.pause()
    this.#waiters.wake()
  }

  /** Drops given bytes that have arrived. Throws for a number that no answer has led to. */
  #confirm(afterByte: number): void {
    const more = afterByte - this.#arrivedBytes
    if (more < 0 || more > this.#given.length)
      throw invalidParams('afterByte is not where an answer ended', 'afterByte')
    this.#given = this.#given.subarray(more)
    this.#arrivedBytes = afterByte
  }

  #give(): void {
    this.#given = Buffer.concat(this.#coming)
    this.#coming = []
    this.#comingBytes = 0
    this.#socket.resume()
  }
}
