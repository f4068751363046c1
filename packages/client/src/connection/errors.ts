import { RpcError } from '@parley/rpc'

/**
 * `serverNotFound`: no program to start. `serverFailed`: it ended, or does not answer. `connectionClosed`: the link to it
 * went down; what it had recorded is saved. `approvalNeeded`: the turn waits for an answer and nobody is here to give
 * one. `messageRemoved`: the message was taken back before a turn began with it. `closed`: we closed it ourselves.
 */
export type ClientErrorCode =
  | 'serverNotFound'
  | 'serverFailed'
  | 'connectionClosed'
  | 'approvalNeeded'
  | 'messageRemoved'
  | 'closed'

/** What goes wrong on this side of the wire. A rejection by the server is an `RpcError`; both carry `data.code`. */
export class ClientError extends Error {
  override readonly name = 'ClientError'
  readonly data: { readonly code: ClientErrorCode }

  constructor(code: ClientErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause })
    this.data = { code }
  }
}

/** The code of an error of this library or of the server, for programs to decide on; null for any other. */
export function codeOf(error: unknown): string | null {
  return error instanceof ClientError || error instanceof RpcError ? (error.data?.code ?? null) : null
}
