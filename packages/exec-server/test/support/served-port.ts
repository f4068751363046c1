import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A server of this process in place of one in a loopback. */
export interface ServedPort extends Disposable {
  /** Connections that were made to it, in order. */
  readonly callers: readonly Socket[]
  dial(): Promise<Socket>
}

export async function servedPort(onCaller: (caller: Socket) => void = () => undefined): Promise<ServedPort> {
  const callers: Socket[] = []
  const server = createServer({ allowHalfOpen: true }, (caller) => {
    callers.push(caller.on('error', () => caller.destroy()))
    onCaller(caller)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    callers,
    async dial() {
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
      await once(socket, 'connect')
      // The system connects before this process accepts.
      while (!callers.some(({ remotePort }) => remotePort === socket.localPort)) await once(server, 'connection')
      return socket
    },
    [Symbol.dispose]() {
      server.close()
      for (const caller of callers) caller.destroy()
    },
  }
}
