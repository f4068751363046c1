import { errorCodes, RpcError, type RpcErrorData } from './errors.ts'
import { isRecord } from './is-record.ts'

export type RequestId = string | number

export interface RequestMessage {
  readonly kind: 'request'
  readonly id: RequestId
  readonly method: string
  readonly params: unknown
}

export interface ReplyMessage {
  readonly kind: 'reply'
  /** As received: an id that we never gave out is for the caller to notice. */
  readonly id: unknown
  readonly outcome: { readonly result: unknown } | { readonly error: RpcError }
}

export type Message =
  | RequestMessage
  | { readonly kind: 'notification'; readonly method: string; readonly params: unknown }
  | ReplyMessage
  | { readonly kind: 'invalid'; readonly id: RequestId | null; readonly problem: string }

/** Tells what one JSON value is in JSON-RPC 2.0. What looks like a reply is never `invalid`: replies are not answered. */
export function readMessage(value: unknown): Message {
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

function invalid(id: RequestId | null, problem: string): Message {
  return { kind: 'invalid', id, problem }
}

/** An integer beyond 2^53 has already lost digits in `JSON.parse`, so it could not be echoed. */
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
  return new RpcError(errorCodes.internal, 'the far side sent a malformed reply', { code: 'malformedReply' })
}
