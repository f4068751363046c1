import { RpcError } from '@parley/rpc'

/** A call that the far system refused; for those who ask for its `code` it is like one of this system. */
export class RemoteSystemError extends Error {
  override readonly name = 'RemoteSystemError'
  /** An errno name, such as `ENOENT`. */
  readonly code: string

  constructor(code: string, message: string, cause: unknown) {
    super(message, { cause })
    this.code = code
  }
}

/** An exec-server's refusal as the system's error behind it; anything else as it is. */
export function asSystemError(error: unknown): unknown {
  if (!(error instanceof RpcError)) return error
  return new RemoteSystemError(error.data?.code ?? 'EREMOTEIO', error.message, error)
}
