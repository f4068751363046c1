/**
 * `unreachable`: nobody listens there; `refused`: whoever listens does not let us in (permissions, a wrong token, an
 * Origin); `notWebSocket`: what answers there speaks something else; `timedOut`: no answer at all.
 */
export type ConnectFailure = 'unreachable' | 'refused' | 'notWebSocket' | 'timedOut'

/** A connection that never came to be. The message is one sentence that names the address, never the token. */
export class ConnectFailed extends Error {
  override readonly name = 'ConnectFailed'
  readonly reason: ConnectFailure

  constructor(reason: ConnectFailure, message: string, cause?: unknown) {
    super(message, { cause })
    this.reason = reason
  }
}

export function failedToConnect(address: string, cause: Error): ConnectFailed {
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message
  const reason = code === 'EACCES' || code === 'EPERM' ? 'refused' : code === 'ETIMEDOUT' ? 'timedOut' : 'unreachable'
  return new ConnectFailed(reason, `cannot connect to ${address} (${code})`, cause)
}
