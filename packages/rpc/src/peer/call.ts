import type { CloseReason } from '../transport/transport.ts'
import { ConnectionClosedError } from './errors.ts'
import type { RequestId } from './message.ts'

/** Parts of a call that its handler may use. */
export interface CallContext {
  /** Aborts with `ConnectionClosedError` when the connection closes while the handler runs. */
  readonly signal: AbortSignal
  /**
   * Runs `fn` synchronously right after the result is sent, so that nothing `fn` sends overtakes it. Drops `fn` when
   * the handler fails or the connection has closed.
   */
  afterReply(fn: () => void): void
}

/** Request whose handler runs. Creates its signal on first use, since a signal is costly and few handlers need one. */
export class Call implements CallContext {
  readonly id: RequestId
  readonly method: string
  #controller: AbortController | undefined
  #abortError: ConnectionClosedError | undefined
  #afterReply: (() => void)[] = []

  constructor(id: RequestId, method: string) {
    this.id = id
    this.method = method
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#abortError !== undefined) this.#controller.abort(this.#abortError)
    return this.#controller.signal
  }

  /** Error the signal aborts with; undefined while the connection is open. */
  get abortError(): ConnectionClosedError | undefined {
    return this.#abortError
  }

  afterReply(fn: () => void): void {
    this.#afterReply.push(fn)
  }

  abort(reason: CloseReason): void {
    this.#abortError = new ConnectionClosedError(reason)
    this.#controller?.abort(this.#abortError)
  }

  takeAfterReply(): readonly (() => void)[] {
    const taken = this.#afterReply
    this.#afterReply = []
    return taken
  }
}
