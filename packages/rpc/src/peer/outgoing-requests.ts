import type { CloseReason } from '../transport/transport.ts'
import { ConnectionClosedError, type FaultRecorder, requestAborted } from './errors.ts'
import { assertDeliverable, type ReplyMessage, requestLine } from './message.ts'

export interface RequestOptions {
  /** Rejects the request with `aborted`. Sends nothing to the remote end and ignores its reply. */
  readonly signal?: AbortSignal
  /** Called with the id of the request right before it is sent. */
  readonly onId?: (id: number) => void
}

interface OutgoingRequestsOptions {
  readonly send: (line: string) => void
  readonly faults: FaultRecorder
  readonly maxLineBytes: number
}

interface PendingRequest {
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
}

/** Requests of this end. Each is settled by its reply, its signal or the close of the connection. */
export class OutgoingRequests {
  readonly #options: OutgoingRequestsOptions
  /** Requests without a reply, by id; undefined for an aborted request, since its late reply is no fault. */
  readonly #pending = new Map<unknown, PendingRequest | undefined>()
  #nextId = 0
  #closed: CloseReason | undefined

  constructor(options: OutgoingRequestsOptions) {
    this.#options = options
  }

  /** Registers the request before it is sent, so that every reply finds it. Rejects as `Peer.request` does. */
  request(method: string, params: unknown, { signal, onId }: RequestOptions = {}): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#closed !== undefined) throw new ConnectionClosedError(this.#closed)
      if (signal?.aborted) throw requestAborted(signal.reason)
      const id = this.#nextId
      const line = requestLine(id, method, params)
      assertDeliverable(line, this.#options.maxLineBytes)
      this.#nextId += 1
      this.#pending.set(
        id,
        signal === undefined ? { resolve, reject } : this.#abortable(id, signal, { resolve, reject }),
      )
      onId?.(id)
      this.#options.send(line)
    })
  }

  settle(reply: ReplyMessage): void {
    if (!this.#pending.has(reply.id)) {
      this.#recordUnmatched(reply)
      return
    }
    const request = this.#pending.get(reply.id)
    this.#pending.delete(reply.id)
    if ('error' in reply.outcome) request?.reject(reply.outcome.error)
    else request?.resolve(reply.outcome.result)
  }

  rejectAll(reason: CloseReason): void {
    this.#closed = reason
    const requests = [...this.#pending.values()]
    this.#pending.clear()
    for (const request of requests) request?.reject(new ConnectionClosedError(reason))
  }

  /** Rejects the request on abort. Settling removes the listener, since a signal may outlive many requests. */
  #abortable(id: number, signal: AbortSignal, request: PendingRequest): PendingRequest {
    const abort = () => {
      this.#pending.set(id, undefined)
      request.reject(requestAborted(signal.reason))
    }
    signal.addEventListener('abort', abort, { once: true })
    const removeListener = () => signal.removeEventListener('abort', abort)
    return {
      resolve: (result) => {
        removeListener()
        request.resolve(result)
      },
      reject: (error) => {
        removeListener()
        request.reject(error)
      },
    }
  }

  #recordUnmatched({ id, outcome }: ReplyMessage): void {
    const { faults } = this.#options
    if (id === null && 'error' in outcome) faults.record({ code: 'notUnderstood', error: outcome.error })
    else faults.record({ code: 'unknownReply', id })
  }
}
