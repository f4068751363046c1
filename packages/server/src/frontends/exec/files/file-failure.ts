import { errorCodes, RpcError } from '@parley/rpc'
import { isMissing, systemErrorCode, systemErrorReason } from '@parley/workspace'

const notFound = -32004

/** `code` is the name of the system's error, such as `EACCES`, or one of ours. */
export function fileFailure(code: string, path: string, reason: string): RpcError {
  return new RpcError(errorCodes.internal, `${path}: ${reason}`, { code, path })
}

/** What the system says of a path, for the client; anything else is a defect and stays one. */
export function asFileFailure(error: unknown, path: string): unknown {
  const code = systemErrorCode(error)
  if (error instanceof RpcError || code === null) return error
  const reason = systemErrorReason(error)
  return isMissing(error)
    ? new RpcError(notFound, `${path}: ${reason}`, { code, path })
    : fileFailure(code, path, reason)
}
