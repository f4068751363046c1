import type { CloseReason } from '../transport/transport.ts'
import { ConnectionClosedError, requestAborted } from './errors.ts'
import type { FaultRecorder } from './faults.ts'
import { assertDeliverable, type ReplyMessage, requestLine } from './message.ts'

export interface RequestOptions {
  /** Stops waiting. The far side is not told; its answer is ignored. */
  readonly signal?: AbortSignal
}

export interface OutgoingRequestsOptions {
  readonly send: (line: string) => void
  readonly ledger: FaultRecorder
  readonly maxLineBytes: number
}

interface Waiting {
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
}

/** The requests we have made. Each one that is registered is settled: by its answer, its signal, or the close. */
export class OutgoingRequests {
  readonly #options: OutgoingRequestsOptions
  /** `undefined`: nobody waits any more, but its answer is still due and no fault. */
  readonly #pending = new Map<unknown, Waiting | undefined>()
  #nextId = 0
  #closed: CloseReason | undefined

  constructor(options: OutgoingRequestsOptions) {
    this.#options = options
  }

  /** Registered before it is sent, so that no answer can be too early. */
  request(method: string, params: unknown, { signal }: RequestOptions = {}): Promise<unknown> {
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
      this.#options.send(line)
    })
  }

  settle(reply: ReplyMessage): void {
    if (!this.#pending.has(reply.id)) {
      this.#noteStray(reply)
      return
    }
    const waiting = this.#pending.get(reply.id)
    this.#pending.delete(reply.id)
    if ('error' in reply.outcome) waiting?.reject(reply.outcome.error)
    else waiting?.resolve(reply.outcome.result)
  }

  rejectAll(reason: CloseReason): void {
    this.#closed = reason
    const waiting = [...this.#pending.values()]
    this.#pending.clear()
    for (const each of waiting) each?.reject(new ConnectionClosedError(reason))
  }

  /** Whatever settles it first also takes the listener off a signal that may outlive many requests. */
  #abortable(id: number, signal: AbortSignal, waiting: Waiting): Waiting {
    const abort = () => {
      this.#pending.set(id, undefined)
      waiting.reject(requestAborted(signal.reason))
    }
    signal.addEventListener('abort', abort, { once: true })
    const unlisten = () => signal.removeEventListener('abort', abort)
    return {
      resolve: (result) => {
        unlisten()
        waiting.resolve(result)
      },
      reject: (error) => {
        unlisten()
        waiting.reject(error)
      },
    }
  }

  #noteStray({ id, outcome }: ReplyMessage): void {
    const { ledger } = this.#options
    if (id === null && 'error' in outcome) ledger.record({ code: 'notUnderstood', error: outcome.error })
    else ledger.record({ code: 'unknownReply', id })
  }
}
