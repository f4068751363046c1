import { type WireErrorCode, type WireErrorDetail, wireErrors } from '@parley/protocol'
import { RpcError } from '@parley/rpc'

/** An error reply from the catalogue: `code` is the contract, the message says what, why and what next. */
export function rejection(code: WireErrorCode, message: string, detail: WireErrorDetail = {}): RpcError {
  return new RpcError(wireErrors[code], message, { ...detail, code })
}
