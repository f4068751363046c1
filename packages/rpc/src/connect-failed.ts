/**
 * `unreachable`: nobody listens there; `refused`: whoever listens does not let us in (permissions, a wrong token, an
 * Origin); `notWebSocket`: what answers there speaks something else; `timedOut`: no answer at all.
 */
export type ConnectErrorReason = 'unreachable' | 'refused' | 'notWebSocket' | 'timedOut'

/** A connection that never came to be. The message is one sentence that names the address, never the token. */
export class ConnectError extends Error {
  override readonly name = 'ConnectError'
  readonly reason: ConnectErrorReason

  constructor(reason: ConnectErrorReason, message: string, cause?: unknown) {
    super(message, { cause })
    this.reason = reason
  }
}

export function connectErrorOf(address: string, cause: Error): ConnectError {
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message
  const reason = code === 'EACCES' || code === 'EPERM' ? 'refused' : code === 'ETIMEDOUT' ? 'timedOut' : 'unreachable'
  return new ConnectError(reason, `cannot connect to ${address} (${code})`, cause)
}
