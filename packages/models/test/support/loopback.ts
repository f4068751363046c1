import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

export type Reply = (response: ServerResponse, request: IncomingMessage, body: string) => void

export interface Loopback extends AsyncDisposable {
  readonly port: number
  readonly baseUrl: string
  /** Bodies of the requests so far. */
  readonly bodies: readonly string[]
  readonly requests: readonly IncomingMessage[]
  /** Connections made since the start. */
  readonly connected: () => number
  /** Connections open now. */
  readonly open: () => number
}

/** A real HTTP server that answers the nth request with the nth reply, and the last one again after that. */
export async function startLoopback(...replies: readonly Reply[]): Promise<Loopback> {
  const bodies: string[] = []
  const requests: IncomingMessage[] = []
  const sockets = new Set<Socket>()
  let connected = 0
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = []
    response.on('error', () => {})
    request.on('error', () => {})
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8')
      bodies.push(body)
      requests.push(request)
      const reply = replies[bodies.length - 1] ?? replies.at(-1)
      reply?.(response, request, body)
    })
  }
  const server = createServer(listener)
  server.on('connection', (socket: Socket) => {
    connected += 1
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    baseUrl: `http://127.0.0.1:${port}/v1`,
    bodies,
    requests,
    connected: () => connected,
    open: () => sockets.size,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}

/** Sends the pieces as an event stream and ends it. */
export function streamOf(...pieces: readonly (string | Uint8Array)[]): Reply {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const piece of pieces) response.write(piece)
    response.end()
  }
}

/** Sends the pieces and leaves the connection open; `then` decides what happens to it. */
export function openStreamOf(pieces: readonly string[], then: (response: ServerResponse) => void = () => {}): Reply {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.flushHeaders()
    if (pieces.length === 0) then(response)
    else response.write(pieces.join(''), () => then(response))
  }
}

export function refusalOf(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Reply {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }
}
