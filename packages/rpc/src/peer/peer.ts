import type { CloseReason, Incoming, Transport } from '../transport/transport.ts'
import { createDispatcher, type NotificationHandler } from './dispatch.ts'
import { createFaultRecorder, type FaultCode, type FaultRecorder, type PeerFault } from './faults.ts'
import { IncomingRequests, type MethodHandler } from './incoming-requests.ts'
import { notificationLine } from './message.ts'
import { OutgoingRequests, type RequestOptions } from './outgoing-requests.ts'

export interface PeerLimits {
  /** Requests beyond this many in flight are answered with `serverOverloaded`. Default 1024. */
  readonly maxInFlight: number
  /** While more than this waits for a far side that does not read its answers, we read no further. Default 4 MiB. */
  readonly maxBufferedBytes: number
  /** The longest line that the far side accepts. Default 32 MiB. */
  readonly maxLineBytes: number
  /** How long handlers may go on to their answer after the far side has ended its requests. Default 500. */
  readonly graceMs: number
}

export interface PeerOptions {
  readonly transport: Transport
  readonly methods: Readonly<Record<string, MethodHandler>>
  /** A notification without a handler is ignored. */
  readonly notifications?: Readonly<Record<string, NotificationHandler>>
  readonly limits?: Partial<PeerLimits>
  readonly onFault?: (fault: PeerFault) => void
}

/** One end of a JSON-RPC 2.0 connection; both ends may ask. It reads from its creation on and owns the transport. */
export interface Peer extends AsyncDisposable {
  /** Rejects with an `RpcError`: the far side's, `ConnectionClosed`, or `aborted`. */
  request(method: string, params?: unknown, options?: RequestOptions): Promise<unknown>
  /** Throws when `params` have no JSON; ignored after close. */
  notify(method: string, params?: unknown): void
  /** A line made by `notificationLine`: what goes to many clients is serialised once. Ignored after close. */
  sendLine(line: string): void
  readonly bufferedBytes: number
  drained(): Promise<void>
  /** How often each kind of fault occurred, also where `onFault` was told only of the first. */
  readonly faultCounts: Readonly<Record<FaultCode, number>>
  /** Never rejects; settles after every pending request has been rejected. */
  readonly closed: Promise<CloseReason>
  /** Rejects what we wait for, answers what is waited for, flushes, closes. Idempotent. */
  close(): Promise<void>
}

const defaults: PeerLimits = {
  maxInFlight: 1024,
  maxBufferedBytes: 4 * 1024 * 1024,
  maxLineBytes: 32 * 1024 * 1024,
  graceMs: 500,
}

export function createPeer(options: PeerOptions): Peer {
  return new ConnectedPeer(options)
}

class ConnectedPeer implements Peer {
  readonly closed: Promise<CloseReason>
  readonly #transport: Transport
  readonly #limits: PeerLimits
  readonly #ledger: FaultRecorder
  readonly #inbound: IncomingRequests
  readonly #outbound: OutgoingRequests
  readonly #receive: (incoming: Incoming) => void
  #windingDown = false
  /** Whether answers may be among the bytes that wait to be read. */
  #owesAnswers = false

  constructor({ transport, methods, notifications = {}, limits, onFault = () => {} }: PeerOptions) {
    this.#transport = transport
    this.#limits = { ...defaults, ...limits }
    this.#ledger = createFaultRecorder(onFault)
    const shared = { ledger: this.#ledger, maxLineBytes: this.#limits.maxLineBytes }
    const answer = (line: string) => this.#answer(line)
    this.#inbound = new IncomingRequests({ ...shared, methods, answer, maxInFlight: this.#limits.maxInFlight })
    this.#outbound = new OutgoingRequests({ ...shared, send: (line) => transport.send(line) })
    this.#receive = createDispatcher({
      inbound: this.#inbound,
      outbound: this.#outbound,
      notifications,
      answer,
      ledger: this.#ledger,
    })
    this.closed = transport.closed.then((reason) => {
      this.#windDown(reason)
      return reason
    })
    void this.#live().catch((error: unknown) => this.#breakOff(error))
  }

  get bufferedBytes(): number {
    return this.#transport.bufferedBytes
  }

  get faultCounts(): Readonly<Record<FaultCode, number>> {
    return this.#ledger.counts
  }

  request(method: string, params?: unknown, options?: RequestOptions): Promise<unknown> {
    return this.#outbound.request(method, params, options)
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
    this.#inbound.answerAll(reason)
    await this.#transport.close()
    await this.closed
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** The far side may end its requests and still read our answers, so handlers get a moment to finish them. */
  async #live(): Promise<void> {
    const reason = await this.#receiveAll()
    this.#windDown(reason)
    await this.#handlersEnd()
    this.#inbound.answerAll(reason)
    await this.#transport.close()
  }

  async #receiveAll(): Promise<CloseReason> {
    const lines = this.#transport.incoming[Symbol.asyncIterator]()
    let step = await lines.next()
    while (step.done !== true) {
      if (!this.#windingDown) this.#receive(step.value)
      if (this.#mustWait()) await this.#transport.drained()
      step = await lines.next()
    }
    return step.value
  }

  /**
   * Only a peer whose own answers pile up stops reading. If any unread output did, two peers that both send much
   * would each wait for the other to read.
   */
  #mustWait(): boolean {
    const buffered = this.#transport.bufferedBytes
    if (buffered === 0) this.#owesAnswers = false
    return this.#owesAnswers && buffered > this.#limits.maxBufferedBytes
  }

  #answer(line: string): void {
    this.#owesAnswers = true
    this.#transport.send(line)
  }

  #windDown(reason: CloseReason): void {
    if (this.#windingDown) return
    this.#windingDown = true
    this.#outbound.rejectAll(reason)
    this.#inbound.abortAll(reason)
  }

  async #handlersEnd(): Promise<void> {
    const { promise: expired, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, this.#limits.graceMs)
    await Promise.race([this.#inbound.idle(), this.#transport.closed, expired])
    clearTimeout(timer)
  }

  /** Only a defect of this package gets here; even then nobody is left waiting. */
  async #breakOff(error: unknown): Promise<void> {
    const reason: CloseReason = { code: 'broken', detail: String(error) }
    this.#windDown(reason)
    this.#inbound.answerAll(reason)
    await this.#transport.close()
  }
}
