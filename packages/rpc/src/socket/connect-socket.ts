import { connect } from 'node:net'
import { connectErrorOf } from '../connect-failed.ts'
import { createStreamTransport } from '../stream-transport.ts'
import type { Transport } from '../transport.ts'

/** To a Unix socket; rejects with `ConnectFailed`. */
export function connectSocket(path: string): Promise<Transport> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path, allowHalfOpen: true })
    const fail = (error: Error) => reject(connectErrorOf(path, error))
    socket.once('error', fail)
    socket.once('connect', () => {
      // Its own listener comes before ours goes: a socket may fail at any moment.
      const transport = createStreamTransport({ input: socket, output: socket })
      socket.off('error', fail)
      resolve(transport)
    })
  })
}
