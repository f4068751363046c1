import { PassThrough, type Readable, type Writable } from 'node:stream'
import { decodeLine } from './decode-line.ts'
import { createLineSplitter } from './line-splitter.ts'
import { LineWriter } from './line-writer.ts'
import type { CloseReason, Incoming, Transport } from './transport.ts'

export interface StreamLimits {
  /** A longer line is discarded as it comes; at most this much of it is held. Default 32 MiB. */
  readonly maxLineBytes: number
  /** Default 512. */
  readonly maxDepth: number
  /**
   * How long a half-dead connection is given: the far side to take our last bytes after `close`, or us to read its
   * last words after our output failed. Default 1000.
   */
  readonly graceMs: number
}

export interface StreamTransportOptions extends Partial<StreamLimits> {
  readonly input: Readable
  /** May be the same stream as `input` (a socket; give it `allowHalfOpen` so that answers survive its end). */
  readonly output: Writable
}

const defaults: StreamLimits = { maxLineBytes: 32 * 1024 * 1024, maxDepth: 512, graceMs: 1000 }

/** One JSON text per line over Node streams: standard input and output, a child's pipes, a socket. */
export function createStreamTransport(options: StreamTransportOptions): Transport {
  return new StreamTransport(options)
}

class StreamTransport implements Transport {
  readonly incoming: AsyncGenerator<Incoming, CloseReason, undefined>
  readonly closed: Promise<CloseReason>
  readonly #input: Readable
  readonly #output: Writable
  readonly #limits: StreamLimits
  readonly #outbox: LineWriter
  readonly #settleClosed: (reason: CloseReason) => void
  #reason: CloseReason | undefined
  #closing = false
  #graceTimer: NodeJS.Timeout | undefined

  constructor({ input, output, ...limits }: StreamTransportOptions) {
    const { promise, resolve } = Promise.withResolvers<CloseReason>()
    this.closed = promise
    this.#settleClosed = resolve
    this.#input = input
    this.#output = output
    this.#limits = { ...defaults, ...limits }
    this.#outbox = new LineWriter(output)
    this.incoming = this.#read()
    // These stay for good: a stream may fail after we are done with it, and must then not take the process down.
    input.on('error', (error) => this.#noteReason(reasonOf(error)))
    output.on('error', (error) => this.#loseOutput(reasonOf(error)))
    output.on('close', () => this.#loseOutput({ code: 'ended' }))
  }

  get bufferedBytes(): number {
    return this.#outbox.bufferedBytes
  }

  send(line: string): void {
    if (!this.#closing) this.#outbox.push(line)
  }

  drained(): Promise<void> {
    return this.#outbox.drained()
  }

  async close(): Promise<void> {
    this.#noteReason({ code: 'closed' })
    if (!this.#closing) {
      this.#closing = true
      this.#startGrace(() => this.#finish())
      await this.#outbox.flushed()
      this.#endOutput()
    }
    await this.closed
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async *#read(): AsyncGenerator<Incoming, CloseReason, undefined> {
    const { maxLineBytes, maxDepth } = this.#limits
    const splitter = createLineSplitter(maxLineBytes)
    try {
      // Not destroyed at its end: of a socket that would also destroy the half that carries our last answers.
      for await (const chunk of this.#input.iterator({ destroyOnReturn: false })) {
        for (const line of splitter.push(toBuffer(chunk))) {
          if (this.#closing) return this.#noteReason({ code: 'closed' })
          yield typeof line === 'string' ? decodeLine(line, maxDepth) : line
        }
      }
    } catch (error) {
      return this.#noteReason(reasonOf(error))
    }
    return this.#noteReason({ code: 'ended' })
  }

  /** A child that exits takes our output first; what it said before is still in the input. */
  #loseOutput(reason: CloseReason): void {
    this.#noteReason(reason)
    this.#outbox.abandon()
    if (!this.#closing) this.#startGrace(() => this.#input.destroy())
  }

  #endOutput(): void {
    if (this.#output.writable) this.#output.end(() => this.#finish())
    else this.#finish()
  }

  #finish(): void {
    clearTimeout(this.#graceTimer)
    this.#outbox.abandon()
    this.#input.destroy()
    this.#output.destroy()
    this.#settleClosed(this.#noteReason({ code: 'closed' }))
  }

  #startGrace(expired: () => void): void {
    clearTimeout(this.#graceTimer)
    this.#graceTimer = setTimeout(expired, this.#limits.graceMs)
  }

  #noteReason(reason: CloseReason): CloseReason {
    this.#reason ??= reason
    return this.#reason
  }
}

/** A stream on which someone called `setEncoding` yields strings. */
function toBuffer(chunk: unknown): Buffer {
  return Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk))
}

const farSideIsGone = new Set([
  'EPIPE',
  'ECONNRESET',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
])

function reasonOf(error: unknown): CloseReason {
  const detail = error instanceof Error ? codeOf(error) : String(error)
  return { code: farSideIsGone.has(detail) ? 'ended' : 'broken', detail }
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message
}

/** Two ends of one connection inside this process, for tests: real framing, asynchronous, in order, with back-pressure. */
export function createMemoryTransportPair(limits: Partial<StreamLimits> = {}): [Transport, Transport] {
  const there = new PassThrough()
  const back = new PassThrough()
  return [
    createStreamTransport({ ...limits, input: back, output: there }),
    createStreamTransport({ ...limits, input: there, output: back }),
  ]
}
