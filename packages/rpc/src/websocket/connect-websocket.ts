import type { IncomingMessage } from 'node:http'
import { WebSocket } from 'ws'
import { answerLimits, ConnectError, connectErrorOf, errorCode, type Transport } from '../transport/transport.ts'
import { createWebSocketTransport, frameOptions } from './websocket-transport.ts'

interface ConnectWebSocketOptions {
  /** `ws://host:port` or `wss://host`. */
  readonly url: string
  readonly token?: string
  /** Certificates of authorities, in PEM, that sign those of servers. Default: those of Node. */
  readonly ca?: string
  /** Text of the address in messages. Default: the address. */
  readonly name?: string
  /** Interval between pings; three without a sign of life end the connection. Default 20,000. */
  readonly beatMs?: number
  readonly signal?: AbortSignal
}

const handshakeTimeoutMs = 10_000

/** Connects to a websocket. Rejects with `ConnectError` or, when aborted, with the signal's reason. */
export async function connectWebSocket(options: ConnectWebSocketOptions): Promise<Transport> {
  const { url, signal, beatMs, name = url } = options
  signal?.throwIfAborted()
  const websocket = open(options)
  const abort = () => websocket.terminate()
  signal?.addEventListener('abort', abort)
  try {
    return await opened(websocket, name, beatMs === undefined ? {} : { beatMs })
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  } finally {
    signal?.removeEventListener('abort', abort)
  }
}

function open({ url, token, ca }: ConnectWebSocketOptions): WebSocket {
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` }
  const trusted = ca === undefined ? {} : { ca }
  try {
    return new WebSocket(url, { ...frameOptions, ...trusted, headers, handshakeTimeout: handshakeTimeoutMs })
  } catch (error) {
    throw new ConnectError('unreachable', `${JSON.stringify(url)} is not a websocket address (ws://host:port)`, error)
  }
}

function opened(websocket: WebSocket, url: string, beat: { readonly beatMs?: number }): Promise<Transport> {
  return new Promise((resolve, reject) => {
    let socket: IncomingMessage['socket'] | undefined
    const fail = (error: Error) => reject(handshakeError(url, error))
    websocket.once('error', fail)
    websocket.once('upgrade', (response) => {
      socket = response.socket
    })
    websocket.once('unexpected-response', (request, response) => {
      reject(statusError(url, response.statusCode ?? 0))
      request.destroy()
    })
    websocket.once('open', () => {
      if (socket === undefined) return
      const transport = createWebSocketTransport({ ...answerLimits, ...beat, websocket, socket })
      websocket.off('error', fail)
      resolve(transport)
    })
  })
}

function statusError(url: string, status: number): ConnectError {
  if (status === 401) return new ConnectError('refused', `${url} asks for another token (401)`)
  if (status === 409) return new ConnectError('refused', `${url} has another machine under this name (409)`)
  if (status === 429) return new ConnectError('refused', `${url} has too many machines of this user (429)`)
  if (status === 403) return new ConnectError('refused', `${url} rejects this client (403)`)
  return new ConnectError('notWebSocket', `${url} does not offer a websocket here (HTTP status ${status})`)
}

function handshakeError(url: string, error: Error): ConnectError {
  if (error.message.includes('timed out')) return new ConnectError('timedOut', `${url} does not answer`, error)
  // Node's parser of HTTP names its faults so.
  if (errorCode(error).startsWith('HPE_'))
    return new ConnectError(
      'notWebSocket',
      `${url} is no parley server: something else listens there, which does not speak HTTP. Name the port of \`parley server --listen\`, not that of its store`,
      error,
    )
  return connectErrorOf(url, error)
}
