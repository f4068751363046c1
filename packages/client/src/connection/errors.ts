import type { ConversationId, ServerNotice } from '@parley/protocol'
import { RpcError } from '@parley/rpc'

/** Codes of errors on the client's side. */
export type ClientErrorCode =
  /** There is no program to start. */
  | 'serverNotFound'
  /** A value that was given to the library has another shape than the library takes. */
  | 'invalidParams'
  /** The server ended or does not answer. */
  | 'serverFailed'
  /** No server can be reached at the addresses that were given. */
  | 'serverUnreachable'
  /** The connection was lost; everything recorded is saved. */
  | 'connectionClosed'
  /** A server was lost before it answered a request that is not repeated: the request may have taken effect. */
  | 'outcomeUnknown'
  /** The address is another machine without TLS. */
  | 'notSecure'
  /** The turn waits for an answer that no connected client can give. */
  | 'approvalNeeded'
  /** The message was removed from the queue before a turn began with it. */
  | 'messageRemoved'
  /** An owner has taken the conversation away from this user, the link was revoked or has expired, or no server accepts the token. */
  | 'accessEnded'
  /** The connection, conversation or iteration was closed here. */
  | 'closed'

/** An error on the client's side. A rejection by the server is an `RpcError`; both carry `data.code`. */
export class ClientError extends Error {
  override readonly name = 'ClientError'
  readonly data: { readonly code: ClientErrorCode }

  constructor(code: ClientErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause })
    this.data = { code }
  }
}

/** Returns the address of the server that has the conversation, from a `liveElsewhere` error; null for any other error. */
export function addressIn(error: unknown): string | null {
  const address = error instanceof RpcError ? error.data?.['address'] : null
  return typeof address === 'string' ? address : null
}

/** Returns the code of an error of this library or of the server; null for any other error. */
export function codeOf(error: unknown): string | null {
  return error instanceof ClientError || error instanceof RpcError ? (error.data?.code ?? null) : null
}

/** Returns true if a request failed because its connection is lost, or because no server gives this client access any more. */
export function isConnectionOver(error: unknown): boolean {
  const code = codeOf(error)
  return code === 'connectionClosed' || code === 'accessEnded'
}

/** Returns the error for a token that every server rejects, with the answer of each. */
export function rejectedToken(answers: string): ClientError {
  return new ClientError(
    'accessEnded',
    `This token is not accepted: ${answers}. It was replaced or withdrawn, its user was removed, or its link was revoked or has expired. Ask whoever runs the server for a new one, and connect with that.`,
  )
}

/** Returns the error of requests after a close that was requested here. */
export function closedHere(): ClientError {
  return new ClientError('closed', 'The connection was closed here.')
}

/** Errno of a notice that another server writes the conversation. */
const takenErrno = 'STORE_TAKEN'

/** Returns true for a notice that the server has lost a conversation to another server, or passed it on. */
export function isTaken(notice: ServerNotice): notice is ServerNotice & { readonly conversationId: ConversationId } {
  return notice.errno === takenErrno && notice.conversationId !== undefined
}

/** Returns true for a rejection without effect: another server has the conversation, or no server has it. */
export function isElsewhere(code: string | null, errno: unknown): boolean {
  return code === 'liveElsewhere' || code === 'conversationNotFound' || errno === takenErrno
}
