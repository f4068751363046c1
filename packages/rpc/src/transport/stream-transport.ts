import { PassThrough, type Readable, type Writable } from 'node:stream'
import { decodeLine } from './decode-line.ts'
import { createLineSplitter } from './line-splitter.ts'
import { LineWriter } from './line-writer.ts'
import {
  answerLimits,
  type CloseReason,
  closeReasonOf,
  defaultLimits,
  defaultMaxLineBytes,
  type Incoming,
  type Transport,
  type TransportLimits,
} from './transport.ts'

export interface StreamLimits extends TransportLimits {
  /** Longest line that is held in memory; a longer one is discarded while it arrives. Default 32 MiB. */
  readonly maxLineBytes: number
}

interface StreamTransportOptions extends Partial<StreamLimits> {
  readonly input: Readable
  /** May be the same stream as `input`: a socket, which needs `allowHalfOpen` to send after its input has ended. */
  readonly output: Writable
}

const defaults: StreamLimits = { ...defaultLimits, maxLineBytes: defaultMaxLineBytes }

/** Creates a transport of one JSON text per line over Node streams: standard streams, a child's pipes, a socket. */
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
    // Never removed: a stream may fail after the close, and an unhandled `error` event would end the process.
    input.on('error', (error) => this.#keepFirstReason(closeReasonOf(error)))
    output.on('error', (error) => this.#abandonOutput(closeReasonOf(error)))
    output.on('close', () => this.#abandonOutput({ code: 'ended' }))
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
    this.#keepFirstReason({ code: 'closed' })
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
    const splitter = createLineSplitter(this.#limits.maxLineBytes)
    try {
      // Destroying a socket at the end of its input would also destroy its output before the last replies are written.
      for await (const chunk of this.#input.iterator({ destroyOnReturn: false })) {
        for (const line of splitter.push(toBuffer(chunk))) {
          if (this.#closing) return this.#keepFirstReason({ code: 'closed' })
          yield typeof line === 'string' ? decodeLine(line, this.#limits) : line
        }
      }
    } catch (error) {
      return this.#keepFirstReason(closeReasonOf(error))
    }
    return this.#keepFirstReason({ code: 'ended' })
  }

  /** Stops writing but still reads: the last lines of a child that exited are in the input. */
  #abandonOutput(reason: CloseReason): void {
    this.#keepFirstReason(reason)
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
    this.#settleClosed(this.#keepFirstReason({ code: 'closed' }))
  }

  #startGrace(expired: () => void): void {
    clearTimeout(this.#graceTimer)
    this.#graceTimer = setTimeout(expired, this.#limits.graceMs)
  }

  #keepFirstReason(reason: CloseReason): CloseReason {
    this.#reason ??= reason
    return this.#reason
  }
}

/** Converts a chunk to bytes; a stream with `setEncoding` yields strings. */
function toBuffer(chunk: unknown): Buffer {
  return Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk))
}

/** Creates two connected transports inside this process, with the framing and back-pressure of real streams. */
export function createMemoryTransportPair(limits: Partial<StreamLimits> = {}): [Transport, Transport] {
  const forward = new PassThrough()
  const backward = new PassThrough()
  return [
    createStreamTransport({ ...answerLimits, ...limits, input: backward, output: forward }),
    createStreamTransport({ ...answerLimits, ...limits, input: forward, output: backward }),
  ]
}
