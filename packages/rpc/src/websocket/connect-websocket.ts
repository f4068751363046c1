import type { IncomingMessage } from 'node:http'
import { WebSocket } from 'ws'
import { answerLimits, ConnectError, type Transport } from '../transport/transport.ts'
import { handshakeError, statusError } from './handshake-error.ts'
import { createWebSocketTransport, frameOptions } from './websocket-transport.ts'

interface ConnectWebSocketOptions {
  /** `ws://host:port` or `wss://host`. */
  readonly url: string
  readonly token?: string
  /** Certificates of authorities that sign server certificates, in PEM. Default: Node's authorities. */
  readonly ca?: string
  /** Name of the setting for such authorities, for messages. Default: the variable of Node. */
  readonly authorities?: string
  /** Text of the address in messages. Default: the address. */
  readonly name?: string
  /** Interval between pings; three without a sign of life end the connection. Default 20,000. */
  readonly beatMs?: number
  readonly signal?: AbortSignal
}

const handshakeTimeoutMs = 10_000

/** Connects to a websocket. Rejects with `ConnectError` or, when aborted, with the signal's reason. */
export async function connectWebSocket(options: ConnectWebSocketOptions): Promise<Transport> {
  const { url, signal, beatMs, name = url, authorities = 'NODE_EXTRA_CA_CERTS' } = options
  signal?.throwIfAborted()
  const websocket = open(options)
  const abort = () => websocket.terminate()
  signal?.addEventListener('abort', abort)
  try {
    return await opened(websocket, { url: name, authorities }, beatMs === undefined ? {} : { beatMs })
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
    throw new ConnectError('unreachable', `${JSON.stringify(url)} is not a websocket address (ws://host:port)`, {
      cause: error,
    })
  }
}

function opened(
  websocket: WebSocket,
  { url, authorities }: { readonly url: string; readonly authorities: string },
  beat: { readonly beatMs?: number },
): Promise<Transport> {
  return new Promise((resolve, reject) => {
    let socket: IncomingMessage['socket'] | undefined
    const fail = (error: Error) => reject(handshakeError(url, error, authorities))
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
