import { isUtf8 } from 'node:buffer'
import type { Socket } from 'node:net'
import { WebSocket } from 'ws'
import { decodeLine } from '../transport/decode-line.ts'
import { closeReasonOf, errorReasonOf } from '../transport/failures.ts'
import {
  type CloseReason,
  createDrainWaiters,
  type Incoming,
  lowMarkBytes,
  type Transport,
  unreadable,
} from '../transport/transport.ts'
import { createKeepAlive } from './keep-alive.ts'

export interface WebSocketLimits {
  /** Default 512. */
  readonly maxDepth: number
  /** How long the far side is given to take our last bytes and to say goodbye after `close`. Default 1000. */
  readonly graceMs: number
  /** How often the far side is asked whether it lives; after three unanswered beats it counts as gone. Default 20 s. */
  readonly beatMs: number
}

export interface WebSocketTransportOptions extends Partial<WebSocketLimits> {
  /** Open, with `maxPayload` set, without compression and without UTF-8 checks of its own. */
  readonly websocket: WebSocket
  /** The connection beneath it. */
  readonly socket: Socket
}

const defaults: WebSocketLimits = { maxDepth: 512, graceMs: 1000, beatMs: 20_000 }
const maxSilentBeats = 3

/**
 * One JSON text per text frame. As every transport it is read only while its owner pulls. A frame above the limit
 * ends the connection (1009), since its bytes cannot be skipped; anything else unreadable does not.
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
  readonly #level = createDrainWaiters(() => this.bufferedBytes)
  readonly #settleClosed: (reason: CloseReason) => void
  readonly #beat: NodeJS.Timeout
  #received: Incoming[] = []
  #wakeReader: (() => void) | undefined
  #reason: CloseReason | undefined
  #closing = false
  /** No more can come: it failed or was closed. */
  #inputOver = false
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
    websocket.on('close', (code) => this.#end(closeReasonOf(code)))
    this.#beat = this.#startBeat()
  }

  get bufferedBytes(): number {
    return this.#ended ? 0 : this.#websocket.bufferedAmount
  }

  send(line: string): void {
    if (line.includes('\n')) throw new TypeError('a line must not contain a line feed')
    if (this.#closing || this.#websocket.readyState !== WebSocket.OPEN) return
    this.#corkForThisTick()
    this.#websocket.send(Buffer.from(line), { binary: false }, () => this.#level.lowered())
  }

  drained(): Promise<void> {
    return this.#level.whenAtMost(lowMarkBytes)
  }

  async close(): Promise<void> {
    this.#noteReason({ code: 'closed' })
    if (!this.#closing) {
      this.#closing = true
      const expired = setTimeout(() => this.#websocket.terminate(), this.#limits.graceMs)
      void this.closed.then(() => clearTimeout(expired))
      this.#wakeReader?.()
      await this.#level.whenAtMost(0)
      this.#websocket.close(1000)
      // The far side's goodbye is read although nobody pulls.
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
      if (this.#inputOver) return this.#noteReason({ code: 'ended' })
      await this.#moreReceived()
    }
    return this.#noteReason({ code: 'closed' })
  }

  async #moreReceived(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#wakeReader = resolve
    if (!this.#closing) this.#websocket.resume()
    await promise
    this.#wakeReader = undefined
  }

  /** What else is in the chunk still comes; beyond it nothing is read until somebody pulls again. */
  #receive(incoming: Incoming): void {
    if (this.#closing) return
    this.#received.push(incoming)
    if (!this.#websocket.isPaused) this.#websocket.pause()
    this.#wakeReader?.()
  }

  #decode(data: WebSocket.RawData, isBinary: boolean): Incoming {
    if (isBinary || !Buffer.isBuffer(data)) return unreadable('binary')
    return isUtf8(data) ? decodeLine(data.toString('utf8'), this.#limits.maxDepth) : unreadable('notUtf8')
  }

  #fail(error: Error): void {
    if ('code' in error && error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') this.#receive(unreadable('tooLong'))
    this.#noteReason(errorReasonOf(error))
    this.#inputOver = true
    this.#wakeReader?.()
  }

  #end(reason: CloseReason): void {
    clearInterval(this.#beat)
    this.#inputOver = true
    this.#ended = true
    const first = this.#noteReason(reason)
    this.#level.lowered()
    this.#wakeReader?.()
    this.#settleClosed(first)
  }

  /** Joins the frames of a tick into one write. */
  #corkForThisTick(): void {
    if (this.#corked) return
    this.#corked = true
    this.#socket.cork()
    process.nextTick(() => {
      this.#corked = false
      this.#socket.uncork()
    })
  }

  #startBeat(): NodeJS.Timeout {
    const keepAlive = createKeepAlive(maxSilentBeats)
    const beat = () => {
      const signs = {
        readBytes: this.#socket.bytesRead,
        unsentBytes: this.bufferedBytes,
        reading: !this.#websocket.isPaused,
      }
      if (keepAlive(signs) === 'gone') this.#giveUp()
      else if (this.#websocket.readyState === WebSocket.OPEN) this.#websocket.ping()
    }
    return setInterval(beat, this.#limits.beatMs).unref()
  }

  #giveUp(): void {
    this.#noteReason({ code: 'ended', detail: 'no sign of life' })
    this.#websocket.terminate()
  }

  #noteReason(reason: CloseReason): CloseReason {
    this.#reason ??= reason
    return this.#reason
  }
}

/**
 * Both ends. No compression: its windows cost memory per connection and delay, and a network that needs it has ssh.
 * UTF-8 is checked by the transport, so that a bad frame is answered instead of ending the connection.
 */
export const frameOptions = {
  maxPayload: 32 * 1024 * 1024,
  perMessageDeflate: false,
  skipUTF8Validation: true,
} as const
