import {
  isInitializeRequest,
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type Transport as McpTransport,
  type RequestId,
} from '@modelcontextprotocol/server'
import type { Incoming, Transport, UnreadableReason } from '@parley/rpc'
import { notRead, unreadLimitBytes } from './unread-limit.ts'

/** Time for answers after stdin has closed, since scripts pipe their requests and read on. */
const lastAnswersMs = 250

const unreadableWords: Readonly<Record<UnreadableReason, string>> = {
  tooLong: 'the line is longer than 32 MiB',
  notUtf8: 'the line is not UTF-8',
  notJson: 'the line is not JSON',
  tooDeep: 'the value is nested too deep',
  tooManyValues: 'the line holds more than 100,000 values',
  repeatedId: 'the message has two ids',
  binary: 'it is not text',
}

/**
 * Speaks MCP over stdio on this project's line transport. Unlike the SDK's, it answers every line, survives a long
 * one, and stops reading while the client does not read.
 */
export class StdioTransport implements McpTransport {
  onmessage?: McpTransport['onmessage']
  onclose?: () => void
  onerror?: (error: Error) => void
  readonly #lines: Transport
  readonly #unanswered = new Set<RequestId>()
  #answered: (() => void) | null = null
  #initialized = false
  #closed = false

  constructor(lines: Transport) {
    this.#lines = lines
  }

  start(): Promise<void> {
    this.#pump().catch((error: unknown) => this.onerror?.(asError(error)))
    return Promise.resolve()
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (this.#closed) return Promise.reject(new Error('the client has gone'))
    if (this.#lines.bufferedBytes > unreadLimitBytes) return this.#giveUp()
    if ('id' in message && message.id !== undefined && !('method' in message)) this.#noteAnswer(message.id)
    this.#lines.send(JSON.stringify(message))
    return Promise.resolve()
  }

  /** Ends the connection of a client that does not read: its turns go on as after any other end. */
  #giveUp(): Promise<void> {
    void this.close().catch((error: unknown) => this.onerror?.(asError(error)))
    return Promise.reject(new Error(notRead))
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.onclose?.()
    await this.#lines.close()
  }

  async #pump(): Promise<void> {
    for await (const incoming of this.#lines.incoming) {
      if (this.#closed) return
      this.#take(incoming)
      await this.#lines.drained()
    }
    await this.#lastAnswers()
    await this.close()
  }

  #take(incoming: Incoming): void {
    if (incoming.kind === 'unreadable') {
      this.#reject({ id: null, code: -32700, message: `Parse error: ${unreadableWords[incoming.reason]}.` })
      return
    }
    const admitted = admitMessage(incoming.value)
    if ('reject' in admitted) this.#reject(admitted.reject)
    else this.#deliver(admitted.deliver)
  }

  #deliver(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message)) {
      if (isInitializeRequest(message) && this.#initialized) {
        this.#reject({ id: message.id, code: -32600, message: 'initialize called more than once' })
        return
      }
      this.#initialized ||= isInitializeRequest(message)
      this.#unanswered.add(message.id)
    }
    this.onmessage?.(message)
  }

  #reject({ id, code, message }: Rejection): void {
    this.#lines.send(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }))
  }

  #noteAnswer(id: RequestId): void {
    this.#unanswered.delete(id)
    if (this.#unanswered.size === 0) this.#answered?.()
  }

  #lastAnswers(): Promise<void> {
    if (this.#unanswered.size === 0) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, lastAnswersMs)
      this.#answered = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}

/** Message to deliver, or error to answer with. */
type Admitted = { readonly deliver: JSONRPCMessage } | { readonly reject: Rejection }

interface Rejection {
  readonly id: RequestId | null
  readonly code: number
  readonly message: string
}

const invalidRequest = -32600

/**
 * Checks a value from the client. A bad request gets an error, and a bad answer becomes an error answer, so that its
 * request does not wait for ever.
 */
function admitMessage(value: unknown): Admitted {
  if (isJSONRPCRequest(value) || isJSONRPCNotification(value)) return { deliver: value }
  if (isJSONRPCResultResponse(value) || isJSONRPCErrorResponse(value)) return { deliver: value }
  if (typeof value !== 'object' || value === null) return reject(null, 'a message must be an object')
  if (Array.isArray(value)) return reject(null, 'batches are not supported')
  const id = 'id' in value && isRequestId(value.id) ? value.id : null
  if (!('method' in value) && ('result' in value || 'error' in value)) return malformedAnswer(id)
  return reject(id, problemOf(value))
}

function malformedAnswer(id: RequestId | null): Admitted {
  if (id === null) return reject(null, 'an answer must have the id of its request')
  const error = { code: invalidRequest, message: 'the client sent a malformed answer' }
  return { deliver: { jsonrpc: '2.0', id, error } }
}

function problemOf(value: object): string {
  if (!('jsonrpc' in value) || value.jsonrpc !== '2.0') return 'jsonrpc must be "2.0"'
  if (!('method' in value) || typeof value.method !== 'string') return 'method must be a string'
  if ('id' in value && !isRequestId(value.id)) return 'id must be a string or an integer'
  return 'params must be an object'
}

function reject(id: RequestId | null, problem: string): Admitted {
  return { reject: { id, code: invalidRequest, message: `Invalid request: ${problem}.` } }
}

function isRequestId(id: unknown): id is RequestId {
  return typeof id === 'string' || Number.isSafeInteger(id)
}
