import { internalError, messageTooLarge, type RpcError } from './errors.ts'
import type { RequestId } from './message.ts'

export function requestLine(id: RequestId, method: string, params: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params })
}

/** Takes the parameters already as JSON text, so that one serialisation serves the log and every client. */
export function notificationLine(method: string, paramsJson: string | undefined): string {
  const head = `{"jsonrpc":"2.0","method":${JSON.stringify(method)}`
  return paramsJson === undefined ? `${head}}` : `${head},"params":${paramsJson}}`
}

/** `undefined` becomes `null`, since a reply must have a result. Throws when `result` has no JSON. */
export function resultLine(id: RequestId, result: unknown): string {
  const json = result === undefined ? 'null' : JSON.stringify(result)
  if (json === undefined) throw new TypeError('the result has no JSON form')
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${json}}`
}

/** Never throws: error data that cannot be serialised becomes an internal error. */
export function errorLine(id: RequestId | null, error: RpcError): string {
  try {
    return unsafeErrorLine(id, error)
  } catch {
    return unsafeErrorLine(id, internalError())
  }
}

function unsafeErrorLine(id: RequestId | null, { code, message, data }: RpcError): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } })
}

/** The far side would discard a longer line without knowing whose it was, and the request would wait for ever. */
export function assertDeliverable(line: string, maxLineBytes: number): void {
  const mayBeTooLong = line.length * 3 > maxLineBytes
  if (mayBeTooLong && Buffer.byteLength(line) > maxLineBytes) throw messageTooLarge(maxLineBytes)
}
