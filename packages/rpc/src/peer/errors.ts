import type { CloseReason, UnreadableReason } from '../transport/transport.ts'

/** Numeric codes of JSON-RPC and of this package. Programs decide by the string `data.code`. */
export const errorCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  serverOverloaded: -32001,
  connectionClosed: -32000,
  aborted: -32800,
} as const

export interface RpcErrorData {
  /** Stable identifier of the error; further keys are details of it. */
  readonly code: string
  readonly [key: string]: unknown
}

/** Error that crosses the wire: thrown by a handler it becomes the error reply, received it rejects the request. */
export class RpcError extends Error {
  override readonly name: string = 'RpcError'
  readonly code: number
  /** Absent only in errors that another JSON-RPC implementation sent without it. */
  readonly data?: RpcErrorData

  constructor(code: number, message: string, data?: RpcErrorData) {
    super(message)
    this.code = code
    if (data !== undefined) this.data = data
  }
}

/** Error of every request that has no reply when the connection closes. The remote end may or may not have run it. */
export class ConnectionClosedError extends RpcError {
  override readonly name = 'ConnectionClosedError'
  readonly reason: CloseReason

  constructor(reason: CloseReason) {
    super(errorCodes.connectionClosed, `the connection is closed (${reason.detail ?? reason.code})`, {
      code: 'connectionClosed',
    })
    this.reason = reason
  }
}

const unreadableMessages: Record<UnreadableReason, string> = {
  tooLong: 'the line is too long',
  notUtf8: 'the line is not valid UTF-8',
  notJson: 'the line is not valid JSON',
  tooDeep: 'the line is nested too deeply',
  tooManyValues: 'the line holds too many values',
  repeatedId: 'the message has more than one id',
  binary: 'the frame is binary: send one JSON text per text frame',
}

export function unreadableLine(reason: UnreadableReason): RpcError {
  const message = unreadableMessages[reason]
  if (reason === 'repeatedId') return invalidRequest(message)
  return new RpcError(errorCodes.parseError, message, { code: 'parseError', reason })
}

export function invalidRequest(message: string): RpcError {
  return new RpcError(errorCodes.invalidRequest, message, { code: 'invalidRequest' })
}

export function duplicateId(id: string | number): RpcError {
  const message = `a request with id ${JSON.stringify(id)} is already in flight`
  return new RpcError(errorCodes.invalidRequest, message, { code: 'duplicateId', id })
}

export function methodNotFound(method: string): RpcError {
  return new RpcError(errorCodes.methodNotFound, `unknown method ${JSON.stringify(method)}`, {
    code: 'methodNotFound',
    method,
  })
}

/** Returns the error for invalid parameters; `field` is the path of one of them, e.g. `input[0].text`. */
export function invalidParams(message: string, field?: string): RpcError {
  const data = field === undefined ? { code: 'invalidParams' } : { code: 'invalidParams', field }
  return new RpcError(errorCodes.invalidParams, message, data)
}

/** Returns an error without its cause, which may quote secrets of this process. */
export function internalError(): RpcError {
  return new RpcError(errorCodes.internal, 'internal error', { code: 'internal' })
}

export function serverOverloaded(maxInFlight: number): RpcError {
  return new RpcError(errorCodes.serverOverloaded, 'too many requests in flight', {
    code: 'serverOverloaded',
    maxInFlight,
  })
}

export function requestAborted(cause: unknown): RpcError {
  const error = new RpcError(errorCodes.aborted, 'the request was aborted', { code: 'aborted' })
  error.cause = cause
  return error
}

export function messageTooLarge(maxLineBytes: number): RpcError {
  return new RpcError(
    errorCodes.internal,
    `the message is larger than ${maxLineBytes} bytes, the most of one line, so it was not sent; send or ask for less at once`,
    {
      code: 'messageTooLarge',
      maxLineBytes,
    },
  )
}

/** Problem on a connection that no reply reports to a caller. */
export type PeerFault =
  /** Handler that threw something other than an `RpcError`, or whose result has no JSON. Reported each time. */
  | { readonly code: 'handlerFailed'; readonly method: string; readonly cause: unknown }
  /** Reply whose id belongs to no request of this end. Reported once. */
  | { readonly code: 'unknownReply'; readonly id: unknown }
  /** Line that is not a message; an error reply was sent. Reported once. */
  | { readonly code: 'unreadable'; readonly reason: UnreadableReason }
  /** Error reply with id null: the remote end could not read a line of this end. Reported once. */
  | { readonly code: 'notUnderstood'; readonly error: RpcError }

export type FaultCode = PeerFault['code']

export interface FaultRecorder {
  readonly counts: Readonly<Record<FaultCode, number>>
  record(fault: PeerFault): void
}

/**
 * Creates a recorder that counts every fault. Reports a kind of fault that the remote end can cause at will once per
 * connection, so that a hostile client cannot fill the log.
 */
export function createFaultRecorder(report: (fault: PeerFault) => void): FaultRecorder {
  const counts: Record<FaultCode, number> = { handlerFailed: 0, unknownReply: 0, unreadable: 0, notUnderstood: 0 }
  function record(fault: PeerFault): void {
    counts[fault.code] += 1
    if (fault.code !== 'handlerFailed' && counts[fault.code] > 1) return
    // Deferred, because a `report` that throws here would prevent the reply.
    queueMicrotask(() => report(fault))
  }
  return { counts, record }
}
