import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { errorCode } from '@parley/text'

export interface Listener {
  readonly port: number
  close(): void
}

const addresses = ['127.0.0.1', '::1'] as const
const maxConnections = 128

/**
 * Listens on the port, or on another where that is taken. It listens on both loopback addresses, because a browser tries
 * either first and might find another program there.
 */
export async function listenHere(wanted: number, onConnection: (caller: Socket) => void): Promise<Listener> {
  const tries = [wanted, 0, 0, 0, 0]
  for (const port of tries) {
    const listener = await listenOn(port, onConnection)
    if (listener !== null) return listener
  }
  throw new Error('no port of this machine is free on 127.0.0.1 and ::1')
}

/** Returns null where the port is taken, or may not be used. */
async function listenOn(wanted: number, onConnection: (caller: Socket) => void): Promise<Listener | null> {
  const servers: Server[] = []
  let port = wanted
  for (const host of addresses) {
    const server = createServer({ allowHalfOpen: true, noDelay: true }, onConnection)
    server.maxConnections = maxConnections
    const code = await started(server, host, port)
    if (code === null) {
      servers.push(server)
      const address = server.address()
      port = typeof address === 'object' && address !== null ? address.port : port
    } else if (host === '127.0.0.1' || code === 'EADDRINUSE') {
      for (const one of servers) one.close()
      return null
    }
  }
  return {
    port,
    close() {
      for (const server of servers) server.close()
    },
  }
}

/** Resolves to null when it listens, or to the system's code. */
async function started(server: Server, host: string, port: number): Promise<string | null> {
  server.listen(port, host)
  try {
    await once(server, 'listening')
    return null
  } catch (error) {
    return errorCode(error) ?? 'unknown'
  }
}
