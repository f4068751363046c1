import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A TCP proxy on loopback that can be cut and mended like a cable. */
export interface CuttableLink extends AsyncDisposable {
  readonly port: number
  /** Ends what goes through it, without a goodbye, and lets nothing new through. */
  cut(): void
  mend(): void
  /** Number of connections made through it. */
  readonly connections: number
}

export async function startCuttableLink(toPort: number): Promise<CuttableLink> {
  const open = new Set<Socket>()
  let isCut = false
  let connections = 0
  const server = createServer((near) => {
    if (isCut) {
      near.resetAndDestroy()
      return
    }
    connections += 1
    const far = connect(toPort, '127.0.0.1')
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        open.delete(socket)
        other.destroy()
      })
      socket.pipe(other)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    get connections() {
      return connections
    },
    cut() {
      isCut = true
      for (const socket of open) socket.resetAndDestroy()
    },
    mend() {
      isCut = false
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
