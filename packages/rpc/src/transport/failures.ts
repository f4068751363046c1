import type { CloseReason } from './transport.ts'

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

/** Something that accepts connections. */
export interface Listener extends AsyncDisposable {
  /** A socket's path, or `host:port`. */
  readonly address: string
  /** Stops listening. Open connections stay with their owners. Idempotent. */
  close(): Promise<void>
}

/** An address that cannot be listened on. The message is one sentence that says why. */
export class ListenError extends Error {
  override readonly name = 'ListenError'
}

/** 1000 and 1001 are goodbyes, 1005 is one without a code, 1006 a far side that vanished. */
const plainEnds: ReadonlySet<number> = new Set([1000, 1001, 1005, 1006])

export function closeReasonOf(code: number): CloseReason {
  return plainEnds.has(code) ? { code: 'ended' } : { code: 'ended', detail: `closed with ${code}` }
}

const farSideIsGone: ReadonlySet<string> = new Set(['EPIPE', 'ECONNRESET'])

export function errorReasonOf(error: Error): CloseReason {
  const detail = 'code' in error && typeof error.code === 'string' ? error.code : error.message
  return { code: farSideIsGone.has(detail) ? 'ended' : 'broken', detail }
}
