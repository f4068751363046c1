import { isUtf8 } from 'node:buffer'
import type { Socket } from 'node:net'
import { WebSocket } from 'ws'
import { decodeLine } from '../transport/decode-line.ts'
import {
  assertOneLine,
  type CloseReason,
  closeReasonOf,
  createDrainWaiters,
  defaultLimits,
  defaultMaxLineBytes,
  type Incoming,
  type Transport,
  type TransportLimits,
  unreadable,
} from '../transport/transport.ts'
import { startKeepAlive } from './keep-alive.ts'

interface WebSocketLimits extends TransportLimits {
  /** Interval between pings; three without a sign of life end the connection. Default 20,000. */
  readonly beatMs: number
}

interface WebSocketTransportOptions extends Partial<WebSocketLimits> {
  /** Open websocket, created with `frameOptions`. */
  readonly websocket: WebSocket
  /** TCP connection of the websocket. */
  readonly socket: Socket
}

/**
 * Options of websockets at both ends. Compression is off, since its windows cost memory and delay per connection.
 * The transport checks UTF-8 itself, to reply to a bad frame where `ws` would end the connection.
 */
export const frameOptions = {
  maxPayload: defaultMaxLineBytes,
  perMessageDeflate: false,
  skipUTF8Validation: true,
} as const

const defaults: WebSocketLimits = { ...defaultLimits, beatMs: 20_000 }

/**
 * Creates a transport of one JSON text per text frame. A frame longer than `maxPayload` ends the connection with close
 * code 1009, since its bytes cannot be skipped; any other unreadable frame does not.
 */
export function createWebSocketTransport(options: WebSocketTransportOptions): Transport {
  return new WebSocketTransport(options)
}

class WebSocketTransport implements Transport {
  readonly incoming: AsyncGenerator<Incoming, CloseReason, undefined>
  readonly closed: Promise<CloseReason>
  readonly #websocket: WebSocket
  readonly #socket: Socket
  readonly #limits: WebSocketLimits
  readonly #waiters = createDrainWaiters(() => this.bufferedBytes)
  readonly #settleClosed: (reason: CloseReason) => void
  readonly #stopKeepAlive: () => void
  #received: Incoming[] = []
  #wakeReader: (() => void) | undefined
  #reason: CloseReason | undefined
  #closing = false
  /** Set when the websocket failed or closed, after which no frame arrives. */
  #inputEnded = false
  #ended = false
  #corked = false

  constructor({ websocket, socket, ...limits }: WebSocketTransportOptions) {
    const { promise, resolve } = Promise.withResolvers<CloseReason>()
    this.closed = promise
    this.#settleClosed = resolve
    this.#websocket = websocket
    this.#socket = socket
    this.#limits = { ...defaults, ...limits }
    this.incoming = this.#read()
    websocket.pause()
    websocket.on('message', (data, isBinary) => this.#receive(this.#decode(data, isBinary)))
    websocket.on('error', (error) => this.#fail(error))
    websocket.on('close', (code) => this.#end(closeReasonOfCode(code)))
    this.#stopKeepAlive = this.#keepAlive()
  }

  get bufferedBytes(): number {
    return this.#ended ? 0 : this.#websocket.bufferedAmount
  }

  send(line: string): void {
    assertOneLine(line)
    if (this.#closing || this.#websocket.readyState !== WebSocket.OPEN) return
    this.#corkForThisTick()
    this.#websocket.send(Buffer.from(line), { binary: false }, () => this.#waiters.check())
  }

  drained(): Promise<void> {
    return this.#waiters.drained()
  }

  async close(): Promise<void> {
    this.#keepFirstReason({ code: 'closed' })
    if (!this.#closing) {
      this.#closing = true
      const expired = setTimeout(() => this.#websocket.terminate(), this.#limits.graceMs)
      void this.closed.then(() => clearTimeout(expired))
      this.#wakeReader?.()
      await this.#waiters.flushed()
      this.#websocket.close(1000)
      // Paused input would hold back the closing handshake of the remote end.
      this.#websocket.resume()
    }
    await this.closed
  }

  async ping(withinMs: number): Promise<boolean> {
    if (this.#websocket.readyState !== WebSocket.OPEN) return false
    const { bytesRead } = this.#socket
    const { promise: expired, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, withinMs)
    this.#websocket.once('pong', resolve)
    this.#websocket.ping()
    await Promise.race([expired, this.closed])
    clearTimeout(timer)
    this.#websocket.off('pong', resolve)
    return !this.#ended && this.#socket.bytesRead > bytesRead
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async *#read(): AsyncGenerator<Incoming, CloseReason, undefined> {
    while (!this.#closing) {
      const received = this.#received
      this.#received = []
      for (const incoming of received) {
        if (this.#closing) break
        yield incoming
      }
      if (this.#received.length > 0) continue
      if (this.#inputEnded) return this.#keepFirstReason({ code: 'ended' })
      await this.#moreReceived()
    }
    return this.#keepFirstReason({ code: 'closed' })
  }

  async #moreReceived(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#wakeReader = resolve
    if (!this.#closing) this.#websocket.resume()
    await promise
    this.#wakeReader = undefined
  }

  /** Queues a frame and pauses input; the remaining frames of the current chunk still arrive. */
  #receive(incoming: Incoming): void {
    if (this.#closing) return
    this.#received.push(incoming)
    if (!this.#websocket.isPaused) this.#websocket.pause()
    this.#wakeReader?.()
  }

  #decode(data: WebSocket.RawData, isBinary: boolean): Incoming {
    if (isBinary || !Buffer.isBuffer(data)) return unreadable('binary')
    return isUtf8(data) ? decodeLine(data.toString('utf8'), this.#limits) : unreadable('notUtf8')
  }

  #fail(error: Error): void {
    if ('code' in error && error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') this.#receive(unreadable('tooLong'))
    this.#keepFirstReason(closeReasonOf(error))
    this.#inputEnded = true
    this.#wakeReader?.()
  }

  #end(reason: CloseReason): void {
    this.#stopKeepAlive()
    this.#inputEnded = true
    this.#ended = true
    const first = this.#keepFirstReason(reason)
    this.#waiters.check()
    this.#wakeReader?.()
    this.#settleClosed(first)
  }

  /** Joins the frames of one tick into one write. */
  #corkForThisTick(): void {
    if (this.#corked) return
    this.#corked = true
    this.#socket.cork()
    process.nextTick(() => {
      this.#corked = false
      this.#socket.uncork()
    })
  }

  #keepAlive(): () => void {
    const sample = () => ({
      readBytes: this.#socket.bytesRead,
      unsentBytes: this.bufferedBytes,
      reading: !this.#websocket.isPaused,
    })
    const ping = () => {
      if (this.#websocket.readyState === WebSocket.OPEN) this.#websocket.ping()
    }
    const giveUp = () => {
      this.#keepFirstReason({ code: 'ended', detail: 'no sign of life' })
      this.#websocket.terminate()
    }
    return startKeepAlive({ beatMs: this.#limits.beatMs, sample, ping, giveUp })
  }

  #keepFirstReason(reason: CloseReason): CloseReason {
    this.#reason ??= reason
    return this.#reason
  }
}

/** Close codes without a failure: 1000 normal, 1001 going away, 1005 no code given, 1006 connection lost. */
const plainCloseCodes: ReadonlySet<number> = new Set([1000, 1001, 1005, 1006])

function closeReasonOfCode(code: number): CloseReason {
  return plainCloseCodes.has(code) ? { code: 'ended' } : { code: 'ended', detail: `closed with ${code}` }
}
