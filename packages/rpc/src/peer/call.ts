import type { CloseReason } from '../transport/transport.ts'
import { ConnectionClosedError } from './errors.ts'
import type { RequestId } from './message.ts'

export interface CallContext {
  /** Aborts when the connection closes while the handler still runs. */
  readonly signal: AbortSignal
  /**
   * Runs `fn` synchronously right after the result was handed to the transport, so that nothing it sends overtakes
   * the reply. Not run when the handler fails or the connection is gone.
   */
  afterReply(fn: () => void): void
}

/** One request being handled. Its signal is made only when a handler asks for it: most never do, and it is dear. */
export class Call implements CallContext {
  readonly id: RequestId
  readonly method: string
  #controller: AbortController | undefined
  #aborted: ConnectionClosedError | undefined
  #afterReply: (() => void)[] = []

  constructor(id: RequestId, method: string) {
    this.id = id
    this.method = method
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#aborted !== undefined) this.#controller.abort(this.#aborted)
    return this.#controller.signal
  }

  /** Set once the connection is closing. */
  get aborted(): ConnectionClosedError | undefined {
    return this.#aborted
  }

  afterReply(fn: () => void): void {
    this.#afterReply.push(fn)
  }

  abort(reason: CloseReason): void {
    this.#aborted = new ConnectionClosedError(reason)
    this.#controller?.abort(this.#aborted)
  }

  takeAfterReply(): readonly (() => void)[] {
    const taken = this.#afterReply
    this.#afterReply = []
    return taken
  }
}
