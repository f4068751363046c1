import { once } from 'node:events'
import { createConnection, createServer, type Socket } from 'node:net'

/** Way to a port of this machine that can be closed for a while. */
export interface Way extends AsyncDisposable {
  readonly port: number
  /** Hangs up on the next so many connections. */
  hangUp(count: number): void
}

export async function openWay(port: number): Promise<Way> {
  let left = 0
  const sockets = new Set<Socket>()
  const listener = createServer((here) => {
    if (left > 0) {
      left -= 1
      here.destroy()
      return
    }
    const there = createConnection(port, '127.0.0.1')
    for (const [socket, other] of [
      [here, there],
      [there, here],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => other.destroy()).on('close', () => other.destroy())
      socket.pipe(other)
    }
  }).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const address = listener.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    hangUp(count) {
      left = count
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      listener.close()
      await once(listener, 'close')
    },
  }
}
