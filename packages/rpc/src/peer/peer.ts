import { type CloseReason, defaultMaxLineBytes, type Incoming, type Transport } from '../transport/transport.ts'
import { createDispatcher, type NotificationHandler } from './dispatch.ts'
import {
  createFaultRecorder,
  type FaultCode,
  type FaultRecorder,
  methodNotFound,
  type PeerFault,
  type RpcError,
} from './errors.ts'
import { IncomingRequests, type MethodHandler } from './incoming-requests.ts'
import { notificationLine } from './message.ts'
import { OutgoingRequests, type RequestOptions } from './outgoing-requests.ts'

interface PeerLimits {
  /** Limit of requests in flight; further requests fail with `serverOverloaded`. Default 1024. */
  readonly maxInFlight: number
  /** Limit of unsent bytes, above which a peer with unsent replies stops reading. Default 4 MiB. */
  readonly maxBufferedBytes: number
  /** Longest line that the remote end accepts. Default 32 MiB. */
  readonly maxLineBytes: number
  /** Time limit for running handlers after the remote end has ended its requests. Default 500. */
  readonly graceMs: number
}

export interface PeerOptions {
  readonly transport: Transport
  readonly methods: Readonly<Record<string, MethodHandler>>
  /** Returns the error for a request of an unknown method. Default `methodNotFound`. */
  readonly unknownMethod?: (method: string) => RpcError
  /** Handlers of notifications; a notification without one is ignored. */
  readonly notifications?: Readonly<Record<string, NotificationHandler>>
  readonly limits?: Partial<PeerLimits>
  /** Called for each handler failure and for the first fault of any other kind. */
  readonly onFault?: (fault: PeerFault) => void
}

/** End of a JSON-RPC 2.0 connection; both ends may send requests. Owns its transport and starts to read at once. */
export interface Peer extends AsyncDisposable {
  /**
   * Sends a request and resolves with its result. Rejects with the remote end's `RpcError`, `ConnectionClosedError`,
   * `aborted` or `messageTooLarge`, and with `TypeError` when `params` cannot be serialised.
   */
  request(method: string, params?: unknown, options?: RequestOptions): Promise<unknown>
  /** Sends a notification. Throws `TypeError` when `params` cannot be serialised; does nothing after `close`. */
  notify(method: string, params?: unknown): void
  /** Sends a line of `notificationLine`, serialised once for many clients. Does nothing after `close`. */
  sendLine(line: string): void
  /** Bytes sent but not yet taken by the operating system. */
  readonly bufferedBytes: number
  /** Resolves as `Transport.drained` does. */
  drained(): Promise<void>
  /** Number of faults of each kind, including faults that `onFault` does not receive. */
  readonly faultCounts: Readonly<Record<FaultCode, number>>
  /** Resolves with the close reason after every pending request is rejected; never rejects. */
  readonly closed: Promise<CloseReason>
  /** Rejects pending requests, sends error replies for running handlers, flushes, and closes. Idempotent. */
  close(): Promise<void>
}

const defaults: PeerLimits = {
  maxInFlight: 1024,
  maxBufferedBytes: 4 * 1024 * 1024,
  maxLineBytes: defaultMaxLineBytes,
  graceMs: 500,
}

export function createPeer(options: PeerOptions): Peer {
  return new ConnectedPeer(options)
}

class ConnectedPeer implements Peer {
  readonly closed: Promise<CloseReason>
  readonly #transport: Transport
  readonly #limits: PeerLimits
  readonly #faults: FaultRecorder
  readonly #incomingRequests: IncomingRequests
  readonly #outgoingRequests: OutgoingRequests
  readonly #dispatch: (incoming: Incoming) => void
  #windingDown = false
  /** True while the unsent bytes may include replies. */
  #hasUnsentReplies = false

  constructor({
    transport,
    methods,
    unknownMethod = methodNotFound,
    notifications = {},
    limits,
    onFault = () => {},
  }: PeerOptions) {
    this.#transport = transport
    this.#limits = { ...defaults, ...limits }
    const { maxLineBytes, maxInFlight } = this.#limits
    const faults = createFaultRecorder(onFault)
    this.#faults = faults
    this.#incomingRequests = new IncomingRequests({
      methods,
      unknownMethod,
      sendReply: (line) => this.#sendReply(line),
      faults,
      maxInFlight,
      maxLineBytes,
    })
    this.#outgoingRequests = new OutgoingRequests({ send: (line) => transport.send(line), faults, maxLineBytes })
    this.#dispatch = createDispatcher({
      incomingRequests: this.#incomingRequests,
      outgoingRequests: this.#outgoingRequests,
      notifications,
      faults,
    })
    this.closed = transport.closed.then((reason) => {
      this.#windDown(reason)
      return reason
    })
    void this.#run().catch((error: unknown) => this.#closeBroken(error))
  }

  get bufferedBytes(): number {
    return this.#transport.bufferedBytes
  }

  get faultCounts(): Readonly<Record<FaultCode, number>> {
    return this.#faults.counts
  }

  request(method: string, params?: unknown, options?: RequestOptions): Promise<unknown> {
    return this.#outgoingRequests.request(method, params, options)
  }

  notify(method: string, params?: unknown): void {
    this.#transport.send(notificationLine(method, JSON.stringify(params)))
  }

  sendLine(line: string): void {
    this.#transport.send(line)
  }

  drained(): Promise<void> {
    return this.#transport.drained()
  }

  async close(): Promise<void> {
    const reason: CloseReason = { code: 'closed' }
    this.#windDown(reason)
    this.#incomingRequests.failAll(reason)
    await this.#transport.close()
    await this.closed
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** Receives until the remote end ends its input. It may still read, so running handlers get `graceMs` to reply. */
  async #run(): Promise<void> {
    const reason = await this.#receiveAll()
    this.#windDown(reason)
    await this.#waitForHandlers()
    this.#incomingRequests.failAll(reason)
    await this.#transport.close()
  }

  async #receiveAll(): Promise<CloseReason> {
    const lines = this.#transport.incoming[Symbol.asyncIterator]()
    let step = await lines.next()
    while (step.done !== true) {
      if (!this.#windingDown) this.#dispatch(step.value)
      if (this.#mustPause()) await this.#transport.drained()
      step = await lines.next()
    }
    return step.value
  }

  /**
   * Returns whether reading must pause. Only unsent replies pause it: if any unsent output did, two peers that both
   * send much would each wait for the other to read.
   */
  #mustPause(): boolean {
    const buffered = this.#transport.bufferedBytes
    if (buffered === 0) this.#hasUnsentReplies = false
    return this.#hasUnsentReplies && buffered > this.#limits.maxBufferedBytes
  }

  #sendReply(line: string): void {
    this.#hasUnsentReplies = true
    this.#transport.send(line)
  }

  /** Rejects the requests of this end and aborts running handlers, once. */
  #windDown(reason: CloseReason): void {
    if (this.#windingDown) return
    this.#windingDown = true
    this.#outgoingRequests.rejectAll(reason)
    this.#incomingRequests.abortAll(reason)
  }

  async #waitForHandlers(): Promise<void> {
    const { promise: expired, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, this.#limits.graceMs)
    await Promise.race([this.#incomingRequests.idle(), this.#transport.closed, expired])
    clearTimeout(timer)
  }

  /** Settles all requests and closes after an unexpected error, which is a defect of this package. */
  async #closeBroken(error: unknown): Promise<void> {
    const reason: CloseReason = { code: 'broken', detail: String(error) }
    this.#windDown(reason)
    this.#incomingRequests.failAll(reason)
    await this.#transport.close()
  }
}
