import { once } from 'node:events'
import { createServer, connect as dial, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/** Passes connections on to a port of loopback. */
export interface Relay extends AsyncDisposable {
  /** Address as `HOST:PORT`. */
  readonly address: string
  /** Holds each piece of data up for a time, in ms, in both directions. */
  delayMs: number
}

/** Starts a relay that listens on any port of a host. */
export async function startRelay(port: number, host = '127.0.0.1'): Promise<Relay> {
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = dial(port, '127.0.0.1')
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('error', () => to.destroy()).on('close', () => to.destroy())
      void pass(from, to)
    }
  }).listen(0, host)
  await once(server, 'listening')

  async function pass(from: Socket, to: Socket): Promise<void> {
    try {
      for await (const piece of from) {
        if (relay.delayMs > 0) await pause(relay.delayMs)
        to.write(piece)
      }
      to.end()
    } catch {
      to.destroy()
    }
  }

  const bound = server.address()
  const relay: Relay = {
    address: `${host}:${typeof bound === 'object' && bound !== null ? bound.port : 0}`,
    delayMs: 0,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return relay
}
