import type { CloseReason, Incoming, Transport } from '@parley/rpc'

/** Bytes unsent at which `drained` resolves. */
const lowMarkBytes = 1024 * 1024
const drainPollMs = 50

/** Time for a server to answer, after which another one may be tried. */
const openMs = 4_000

/** Opens a websocket of a document. Rejects when it cannot be opened in time. */
export function openSocket(
  url: string,
  view: Pick<typeof globalThis, 'WebSocket'>,
  withinMs = openMs,
): Promise<WebSocket> {
  const socket = new view.WebSocket(url)
  const expired = setTimeout(() => socket.close(), withinMs)
  return new Promise<WebSocket>((resolve, reject) => {
    socket.addEventListener('open', () => resolve(socket), { once: true })
    socket.addEventListener('close', () => reject(new Error('The server does not answer.')), { once: true })
  }).finally(() => clearTimeout(expired))
}

/** Creates a transport of one JSON text per frame on an open websocket of the browser. */
export function createPageTransport(socket: WebSocket): Transport {
  const received: Incoming[] = []
  const { promise: closed, resolve: settle } = Promise.withResolvers<CloseReason>()
  let reason: CloseReason | null = null
  let wake: (() => void) | null = null

  const end = (why: CloseReason) => {
    reason ??= why
    settle(reason)
    wake?.()
  }
  socket.addEventListener('message', ({ data }) => {
    received.push(decode(data))
    wake?.()
  })
  socket.addEventListener('close', () => end({ code: 'ended' }))

  async function* read(): AsyncGenerator<Incoming, CloseReason, undefined> {
    for (;;) {
      for (let next = received.shift(); next !== undefined; next = received.shift()) yield next
      if (reason !== null) return reason
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }

  async function close(): Promise<void> {
    end({ code: 'closed' })
    socket.close(1000)
  }

  return {
    incoming: read(),
    closed,
    send(line) {
      if (socket.readyState === WebSocket.OPEN) socket.send(line)
    },
    get bufferedBytes() {
      return socket.bufferedAmount
    },
    async drained() {
      while (reason === null && socket.bufferedAmount > lowMarkBytes)
        await new Promise((resolve) => setTimeout(resolve, drainPollMs))
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

function decode(data: unknown): Incoming {
  if (typeof data !== 'string') return { kind: 'unreadable', reason: 'binary' }
  try {
    return { kind: 'message', value: JSON.parse(data) }
  } catch {
    return { kind: 'unreadable', reason: 'notJson' }
  }
}
