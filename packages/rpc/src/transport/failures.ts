import type { CloseReason } from './transport.ts'

/**
 * `unreachable`: no listener at the address; `refused`: the listener rejected this client (file permissions, token,
 * Origin); `notWebSocket`: the listener speaks another protocol; `timedOut`: no reply in time.
 */
type ConnectErrorReason = 'unreachable' | 'refused' | 'notWebSocket' | 'timedOut'

/** Failure to connect. Its message is one sentence that names the address, never the token. */
export class ConnectError extends Error {
  override readonly name = 'ConnectError'
  readonly reason: ConnectErrorReason

  constructor(reason: ConnectErrorReason, message: string, cause?: unknown) {
    super(message, { cause })
    this.reason = reason
  }
}

/** Failure to listen on an address. Its message is one sentence that says why. */
export class ListenError extends Error {
  override readonly name = 'ListenError'
}

/** Converts an error of the operating system into a `ConnectError`. */
export function connectErrorOf(address: string, cause: Error): ConnectError {
  const code = errorCode(cause)
  const reason = code === 'EACCES' || code === 'EPERM' ? 'refused' : code === 'ETIMEDOUT' ? 'timedOut' : 'unreachable'
  return new ConnectError(reason, `cannot connect to ${address} (${code})`, cause)
}

/** Codes of errors that mean the remote end closed the channel or exited. */
const remoteGoneCodes: ReadonlySet<string> = new Set([
  'EPIPE',
  'ECONNRESET',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
])

/** Converts an error of an open channel into a close reason: `ended` or `broken`. */
export function closeReasonOf(error: unknown): CloseReason {
  const detail = error instanceof Error ? errorCode(error) : String(error)
  return { code: remoteGoneCodes.has(detail) ? 'ended' : 'broken', detail }
}

/** Returns the error's `code`, or its message if it has none. */
export function errorCode(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message
}
