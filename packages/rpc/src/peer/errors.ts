import type { CloseReason, UnreadableReason } from '../transport/transport.ts'

/** The numbers of JSON-RPC and of this package; what a program decides on is `data.code`. */
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

/** `code` is the contract; further keys belong to it. */
export interface RpcErrorData {
  readonly code: string
  readonly [key: string]: unknown
}

/** A failure that crosses the wire: thrown by a handler it becomes the error reply, received it rejects the request. */
export class RpcError extends Error {
  override readonly name: string = 'RpcError'
  readonly code: number
  /** Absent only when a far side that is not ours left it out. */
  readonly data?: RpcErrorData

  constructor(code: number, message: string, data?: RpcErrorData) {
    super(message)
    this.code = code
    if (data !== undefined) this.data = data
  }
}

/** Rejects every request that the connection took down with it. Whether the far side acted on it is unknown. */
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

/** `field` is the path of the parameter at fault, e.g. `input[0].text`. */
export function invalidParams(message: string, field?: string): RpcError {
  const data = field === undefined ? { code: 'invalidParams' } : { code: 'invalidParams', field }
  return new RpcError(errorCodes.invalidParams, message, data)
}

/** Says nothing of the cause, which may quote what must not leave this process. */
export function internalError(message = 'internal error'): RpcError {
  return new RpcError(errorCodes.internal, message, { code: 'internal' })
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
  return new RpcError(errorCodes.internal, `the message is larger than ${maxLineBytes} bytes`, {
    code: 'messageTooLarge',
    maxLineBytes,
  })
}
