import type { CloseReason } from '../transport/transport.ts'
import { Call, type CallContext } from './call.ts'
import {
  ConnectionClosedError,
  duplicateId,
  internalError,
  methodNotFound,
  RpcError,
  serverOverloaded,
} from './errors.ts'
import type { FaultRecorder } from './faults.ts'
import { assertDeliverable, errorLine, type RequestId, type RequestMessage, resultLine } from './message.ts'

/**
 * Called synchronously, in the order of the lines. What it returns, or what its promise resolves to, is the result;
 * an `RpcError` is the error reply as it stands; anything else thrown becomes `internal` and a fault.
 */
export type MethodHandler = (params: unknown, context: CallContext) => unknown

export interface IncomingRequestsOptions {
  readonly methods: Readonly<Record<string, MethodHandler>>
  readonly answer: (line: string) => void
  readonly ledger: FaultRecorder
  readonly maxInFlight: number
  readonly maxLineBytes: number
}

/** The requests made of us. Each is answered exactly once, also when its handler fails or never returns. */
export class IncomingRequests {
  readonly #options: IncomingRequestsOptions
  readonly #running = new Map<RequestId, Call>()
  #whenIdle: (() => void) | undefined

  constructor(options: IncomingRequestsOptions) {
    this.#options = options
  }

  isRunning(id: RequestId): boolean {
    return this.#running.has(id)
  }

  receive({ id, method, params }: RequestMessage): void {
    const { methods, maxInFlight } = this.#options
    const handler = Object.hasOwn(methods, method) ? methods[method] : undefined
    // With the id of a request in flight, this error would pass for that request's answer.
    if (this.#running.has(id)) this.#refuse(null, duplicateId(id))
    else if (handler === undefined) this.#refuse(id, methodNotFound(method))
    else if (this.#running.size >= maxInFlight) this.#refuse(id, serverOverloaded(maxInFlight))
    else this.#start(new Call(id, method), handler, params)
  }

  abortAll(reason: CloseReason): void {
    for (const call of this.#running.values()) call.abort(reason)
  }

  /** Resolves when no handler runs. Asked for once, when the connection closes. */
  idle(): Promise<void> {
    if (this.#running.size === 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#whenIdle = resolve
    })
  }

  /** Answers for the handlers that still run; what they return later is ignored. */
  answerAll(reason: CloseReason): void {
    for (const call of [...this.#running.values()]) this.#fail(call, new ConnectionClosedError(reason))
  }

  #start(call: Call, handler: MethodHandler, params: unknown): void {
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

  #settleLater(call: Call, result: PromiseLike<unknown>): void {
    Promise.resolve(result).then(
      (value) => this.#succeed(call, value),
      (error) => this.#fail(call, error),
    )
  }

  #succeed(call: Call, result: unknown): void {
    if (!this.#isUnanswered(call)) return
    let line: string
    try {
      line = resultLine(call.id, result)
      assertDeliverable(line, this.#options.maxLineBytes)
    } catch (error) {
      this.#fail(call, error)
      return
    }
    this.#end(call, line)
    for (const fn of call.takeAfterReply()) this.#runAfterReply(call, fn)
  }

  #fail(call: Call, error: unknown): void {
    if (!this.#isUnanswered(call)) return
    this.#end(call, errorLine(call.id, this.#toRpcError(call, error)))
  }

  /** A handler that fails because it was told to stop is no fault. */
  #toRpcError(call: Call, error: unknown): RpcError {
    if (error instanceof RpcError) return error
    if (call.aborted !== undefined) return call.aborted
    this.#noteFailure(call, error)
    return internalError()
  }

  #runAfterReply(call: Call, fn: () => void): void {
    try {
      fn()
    } catch (error) {
      this.#noteFailure(call, error)
    }
  }

  /** By identity, since the far side may already use the id again. */
  #isUnanswered(call: Call): boolean {
    return this.#running.get(call.id) === call
  }

  #end(call: Call, line: string): void {
    this.#running.delete(call.id)
    this.#options.answer(line)
    if (this.#running.size === 0) this.#whenIdle?.()
  }

  #refuse(id: RequestId | null, error: RpcError): void {
    this.#options.answer(errorLine(id, error))
  }

  #noteFailure({ method }: Call, cause: unknown): void {
    this.#options.ledger.record({ code: 'handlerFailed', method, cause })
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}
