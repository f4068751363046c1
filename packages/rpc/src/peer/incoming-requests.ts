import type { CloseReason } from '../transport/transport.ts'
import {
  ConnectionClosedError,
  duplicateId,
  type FaultRecorder,
  internalError,
  RpcError,
  serverOverloaded,
} from './errors.ts'
import { assertDeliverable, errorLine, type RequestId, type RequestMessage, resultLine } from './message.ts'

/** Parts of a request that its handler may use. */
export interface CallContext {
  /** Aborts with `ConnectionClosedError` when the connection closes while the handler runs. */
  readonly signal: AbortSignal
  /**
   * Runs `fn` synchronously right after the result is sent, so that nothing `fn` sends overtakes the result. Drops `fn`
   * when the handler fails or the connection has closed.
   */
  afterReply(fn: () => void): void
}

/**
 * Handles a request. Called synchronously, in the order of the lines. Its return value or the value of its promise is
 * the result; a thrown `RpcError` is the error reply; any other error becomes `internal` and a fault.
 */
export type MethodHandler = (params: unknown, context: CallContext) => unknown

interface IncomingRequestsOptions {
  readonly methods: Readonly<Record<string, MethodHandler>>
  readonly unknownMethod: (method: string) => RpcError
  readonly sendReply: (line: string) => void
  readonly faults: FaultRecorder
  readonly maxInFlight: number
  readonly maxLineBytes: number
}

/** Request with a running handler. Creates its signal at the first use: it is costly, and few handlers need one. */
class RunningRequest implements CallContext {
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

/** Requests of the remote end. Each gets exactly one reply, also when its handler fails or never returns. */
export class IncomingRequests {
  readonly #options: IncomingRequestsOptions
  readonly #running = new Map<RequestId, RunningRequest>()
  #whenIdle: (() => void) | undefined

  constructor(options: IncomingRequestsOptions) {
    this.#options = options
  }

  receive({ id, method, params }: RequestMessage): void {
    const { methods, unknownMethod, maxInFlight } = this.#options
    const handler = Object.hasOwn(methods, method) ? methods[method] : undefined
    if (this.#running.has(id)) this.reject(id, duplicateId(id))
    else if (handler === undefined) this.reject(id, unknownMethod(method))
    else if (this.#running.size >= maxInFlight) this.reject(id, serverOverloaded(maxInFlight))
    else this.#start(new RunningRequest(id, method), handler, params)
  }

  /** Sends an error reply, without the id of a running request: it would count as the reply to that request. */
  reject(id: RequestId | null, error: RpcError): void {
    this.#options.sendReply(errorLine(id !== null && this.#running.has(id) ? null : id, error))
  }

  abortAll(reason: CloseReason): void {
    for (const call of this.#running.values()) call.abort(reason)
  }

  /** Resolves when no handler runs. Supports one caller: the peer, while the connection closes. */
  idle(): Promise<void> {
    if (this.#running.size === 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#whenIdle = resolve
    })
  }

  /** Sends an error reply for each running handler and ignores its later result. */
  failAll(reason: CloseReason): void {
    for (const call of [...this.#running.values()]) this.#fail(call, new ConnectionClosedError(reason))
  }

  #start(call: RunningRequest, handler: MethodHandler, params: unknown): void {
    this.#running.set(call.id, call)
    let result: unknown
    try {
      result = handler(params, call)
      if (isThenable(result)) {
        this.#settleLater(call, result)
        return
      }
    } catch (error) {
      this.#fail(call, error)
      return
    }
    this.#succeed(call, result)
  }

  #settleLater(call: RunningRequest, result: PromiseLike<unknown>): void {
    Promise.resolve(result).then(
      (value) => this.#succeed(call, value),
      (error) => this.#fail(call, error),
    )
  }

  #succeed(call: RunningRequest, result: unknown): void {
    if (!this.#awaitsReply(call)) return
    let line: string
    try {
      line = resultLine(call.id, result)
      assertDeliverable(line, this.#options.maxLineBytes)
    } catch (error) {
      this.#fail(call, error)
      return
    }
    this.#reply(call, line)
    for (const fn of call.takeAfterReply()) this.#runAfterReply(call, fn)
  }

  #fail(call: RunningRequest, error: unknown): void {
    if (!this.#awaitsReply(call)) return
    this.#reply(call, errorLine(call.id, this.#toRpcError(call, error)))
  }

  /** Converts a thrown error. A handler that fails after the abort is not a fault. */
  #toRpcError(call: RunningRequest, error: unknown): RpcError {
    if (error instanceof RpcError) return error
    if (call.abortError !== undefined) return call.abortError
    this.#recordFailure(call, error)
    return internalError()
  }

  #runAfterReply(call: RunningRequest, fn: () => void): void {
    try {
      fn()
    } catch (error) {
      this.#recordFailure(call, error)
    }
  }

  /** Compares by identity, since the remote end may already use the id again. */
  #awaitsReply(call: RunningRequest): boolean {
    return this.#running.get(call.id) === call
  }

  #reply(call: RunningRequest, line: string): void {
    this.#running.delete(call.id)
    this.#options.sendReply(line)
    if (this.#running.size === 0) this.#whenIdle?.()
  }

  #recordFailure({ method }: RunningRequest, cause: unknown): void {
    this.#options.faults.record({ code: 'handlerFailed', method, cause })
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}
