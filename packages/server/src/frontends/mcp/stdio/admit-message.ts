import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type RequestId,
} from '@modelcontextprotocol/server'

/** What becomes of one JSON value from the client: it is for the server, or it is answered on the spot. */
export type Admitted = { readonly deliver: JSONRPCMessage } | { readonly refuse: Refusal }

export interface Refusal {
  readonly id: RequestId | null
  readonly code: number
  readonly message: string
}

const invalidRequest = -32600

/**
 * Tells what a value is. Nothing is dropped in silence: a bad request gets its error, and a bad answer becomes an
 * error answer, so that whoever waits for it goes on.
 */
export function admitMessage(value: unknown): Admitted {
  if (isJSONRPCRequest(value) || isJSONRPCNotification(value)) return { deliver: value }
  if (isJSONRPCResultResponse(value) || isJSONRPCErrorResponse(value)) return { deliver: value }
  if (typeof value !== 'object' || value === null) return refuse(null, 'a message must be an object')
  if (Array.isArray(value)) return refuse(null, 'batches are not supported')
  const id = 'id' in value && isRequestId(value.id) ? value.id : null
  if (!('method' in value) && ('result' in value || 'error' in value)) return malformedAnswer(id)
  return refuse(id, problemOf(value))
}

function malformedAnswer(id: RequestId | null): Admitted {
  if (id === null) return refuse(null, 'an answer must have the id of its request')
  const error = { code: invalidRequest, message: 'the client sent a malformed answer' }
  return { deliver: { jsonrpc: '2.0', id, error } }
}

function problemOf(value: object): string {
  if (!('jsonrpc' in value) || value.jsonrpc !== '2.0') return 'jsonrpc must be "2.0"'
  if (!('method' in value) || typeof value.method !== 'string') return 'method must be a string'
  if ('id' in value && !isRequestId(value.id)) return 'id must be a string or an integer'
  return 'params must be an object'
}

function refuse(id: RequestId | null, problem: string): Admitted {
  return { refuse: { id, code: invalidRequest, message: `Invalid request: ${problem}.` } }
}

function isRequestId(id: unknown): id is RequestId {
  return typeof id === 'string' || Number.isSafeInteger(id)
}
