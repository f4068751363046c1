import {
  isInitializeRequest,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type Transport as McpTransport,
  type RequestId,
} from '@modelcontextprotocol/server'
import type { Incoming, Transport, UnreadableReason } from '@parley/rpc'
import { admitMessage, type Refusal } from './admit-message.ts'

/** How long what was asked before stdin closed may still be answered: a script pipes its requests and reads on. */
const lastAnswersMs = 250

const unreadableWords: Readonly<Record<UnreadableReason, string>> = {
  tooLong: 'the line is longer than 32 MiB',
  notUtf8: 'the line is not UTF-8',
  notJson: 'the line is not JSON',
  tooDeep: 'the value is nested too deep',
  repeatedId: 'the message has two ids',
  binary: 'it is not text',
}

/**
 * MCP's stdio, on our own line transport in place of the SDK's: every line gets its answer, a long one does not end the
 * connection, and a client that does not read is not read from either.
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
    if ('id' in message && message.id !== undefined && !('method' in message)) this.#noteAnswer(message.id)
    this.#lines.send(JSON.stringify(message))
    return Promise.resolve()
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
      this.#refuse({ id: null, code: -32700, message: `Parse error: ${unreadableWords[incoming.reason]}.` })
      return
    }
    const admitted = admitMessage(incoming.value)
    if ('refuse' in admitted) this.#refuse(admitted.refuse)
    else this.#deliver(admitted.deliver)
  }

  #deliver(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message)) {
      if (isInitializeRequest(message) && this.#initialized) {
        this.#refuse({ id: message.id, code: -32600, message: 'initialize called more than once' })
        return
      }
      this.#initialized ||= isInitializeRequest(message)
      this.#unanswered.add(message.id)
    }
    this.onmessage?.(message)
  }

  #refuse({ id, code, message }: Refusal): void {
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
