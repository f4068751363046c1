import { isRecord, utf8Length } from '@parley/text'
import { errorCodes, internalError, messageTooLarge, RpcError, type RpcErrorData } from './errors.ts'

export type RequestId = string | number

export interface RequestMessage {
  readonly kind: 'request'
  readonly id: RequestId
  readonly method: string
  readonly params: unknown
}

export interface ReplyMessage {
  readonly kind: 'reply'
  /** Id as received, not checked against the requests of this end. */
  readonly id: unknown
  readonly outcome: { readonly result: unknown } | { readonly error: RpcError }
}

type RpcMessage =
  | RequestMessage
  | { readonly kind: 'notification'; readonly method: string; readonly params: unknown }
  | ReplyMessage
  | { readonly kind: 'invalid'; readonly id: RequestId | null; readonly problem: string }

/** Classifies one JSON value as a JSON-RPC 2.0 message. A malformed reply is a reply with an error, never `invalid`. */
export function readMessage(value: unknown): RpcMessage {
  if (Array.isArray(value)) return invalid(null, 'batches are not supported')
  if (!isRecord(value)) return invalid(null, 'a message must be an object')
  const { jsonrpc, id, method, params } = value
  if (isReply(value)) return readReply(value)
  const hasId = Object.hasOwn(value, 'id')
  if (hasId && !isRequestId(id)) return invalid(null, 'an id must be a string or a safe integer')
  const knownId = isRequestId(id) ? id : null
  if (jsonrpc !== '2.0') return invalid(knownId, 'jsonrpc must be "2.0"')
  if (typeof method !== 'string') return invalid(knownId, 'method must be a string')
  return knownId === null ? { kind: 'notification', method, params } : { kind: 'request', id: knownId, method, params }
}

function invalid(id: RequestId | null, problem: string): RpcMessage {
  return { kind: 'invalid', id, problem }
}

/** Returns whether the id is a string or a safe integer; `JSON.parse` has already rounded larger integers. */
function isRequestId(id: unknown): id is RequestId {
  return typeof id === 'string' || Number.isSafeInteger(id)
}

function isReply(value: Readonly<Record<string, unknown>>): boolean {
  return !Object.hasOwn(value, 'method') && (Object.hasOwn(value, 'result') || Object.hasOwn(value, 'error'))
}

function readReply(value: Readonly<Record<string, unknown>>): ReplyMessage {
  const { jsonrpc, id, result, error } = value
  const hasResult = Object.hasOwn(value, 'result')
  if (jsonrpc === '2.0' && hasResult && !Object.hasOwn(value, 'error'))
    return { kind: 'reply', id, outcome: { result } }
  const wellFormed = jsonrpc === '2.0' && !hasResult
  return { kind: 'reply', id, outcome: { error: (wellFormed ? readError(error) : undefined) ?? malformedReply() } }
}

function readError(error: unknown): RpcError | undefined {
  if (!isRecord(error)) return undefined
  const { code, message, data } = error
  if (typeof code !== 'number' || typeof message !== 'string') return undefined
  return new RpcError(code, message, isErrorData(data) ? data : undefined)
}

function isErrorData(data: unknown): data is RpcErrorData {
  return isRecord(data) && typeof data['code'] === 'string'
}

function malformedReply(): RpcError {
  return new RpcError(errorCodes.internal, 'the remote end sent a malformed reply', { code: 'malformedReply' })
}

export function requestLine(id: RequestId, method: string, params: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params })
}

/** Returns a notification as one line. Takes parameters as JSON text, to be serialised once for all clients. */
export function notificationLine(method: string, paramsJson: string | undefined): string {
  const head = `{"jsonrpc":"2.0","method":${JSON.stringify(method)}`
  return paramsJson === undefined ? `${head}}` : `${head},"params":${paramsJson}}`
}

/** Returns a reply as one line, with `null` for an undefined result. Throws `TypeError` if `result` has no JSON. */
export function resultLine(id: RequestId, result: unknown): string {
  const json = result === undefined ? 'null' : JSON.stringify(result)
  if (json === undefined) throw new TypeError('the result has no JSON form')
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${json}}`
}

/** Returns an error reply as one line. Never throws: error data without JSON becomes an internal error. */
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

/** Throws `messageTooLarge` for a line that the remote end would discard unanswered, so that no request hangs. */
export function assertDeliverable(line: string, maxLineBytes: number): void {
  const mayBeTooLong = line.length * 3 > maxLineBytes
  if (mayBeTooLong && utf8Length(line) > maxLineBytes) throw messageTooLarge(maxLineBytes)
}
