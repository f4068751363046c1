import { lstat, unlink } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { errorCode } from '@parley/text'
import { createStreamTransport } from './stream-transport.ts'
import {
  answerLimits,
  ConnectError,
  connectErrorOf,
  ListenError,
  type Listener,
  listenerOf,
  type Transport,
} from './transport.ts'

/** Connects to a Unix socket. Rejects with `ConnectError`. */
export function connectSocket(path: string): Promise<Transport> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path, allowHalfOpen: true })
    const fail = (error: Error) => reject(connectErrorOf(path, error))
    socket.once('error', fail)
    socket.once('connect', () => {
      // The transport adds its `error` listener before this one goes: an unhandled `error` event ends the process.
      const transport = createStreamTransport({ ...answerLimits, input: socket, output: socket })
      socket.off('error', fail)
      resolve(transport)
    })
  })
}

interface ListenSocketOptions {
  readonly path: string
  /** Takes ownership of the transport. */
  onConnection(transport: Transport): void
}

/** Longest path the kernel takes (108 bytes on Linux, 104 on macOS, with the closing zero); it cuts longer ones. */
const maxPathBytes = process.platform === 'linux' ? 107 : 103

/**
 * Listens on a Unix socket that only this user can open. Replaces the file of an exited listener, never the file of a
 * running one. Rejects with `ListenError`.
 */
export function listenSocket({ path, onConnection }: ListenSocketOptions): Promise<Listener> {
  // Half-open, because a remote end that ended its input still reads replies.
  const server = createServer({ allowHalfOpen: true }, (socket: Socket) => {
    onConnection(createStreamTransport({ input: socket, output: socket }))
  })
  return listenAtPath(server, path)
}

/** Lets a server listen on a Unix socket, as `listenSocket` does. Rejects with `ListenError`. */
export async function listenAtPath(server: Server, path: string): Promise<Listener> {
  if (Buffer.byteLength(path) > maxPathBytes) {
    throw new ListenError(`the path of a socket may have ${maxPathBytes} bytes, and ${path} is longer`)
  }
  try {
    await bindPrivately(server, path)
  } catch (error) {
    if (!isInUse(error) || !(await isAbandoned(path))) throw listenFailure(path, error)
    await unlink(path).catch(() => {})
    await bindPrivately(server, path).catch((again: unknown) => {
      throw listenFailure(path, again)
    })
  }
  return listenerOf(server, path)
}

/** Listens under a umask of 0177: `listen` binds synchronously, so the file never has more rights than 0600. */
function bindPrivately(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    const umask = process.umask(0o177)
    server.listen({ path }, () => {
      server.off('error', reject)
      resolve()
    })
    process.umask(umask)
  })
}

/**
 * Returns whether the path is free or a socket without a listener. Checks the file type too, since connecting to a
 * plain file fails in the same way.
 */
async function isAbandoned(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined)
  if (found !== undefined && !found.isSocket()) return false
  try {
    await (await connectSocket(path)).close()
    return false
  } catch (error) {
    return error instanceof ConnectError && error.reason === 'unreachable'
  }
}

function isInUse(error: unknown): boolean {
  return errorCode(error) === 'EADDRINUSE'
}

function listenFailure(path: string, error: unknown): ListenError {
  const why = isInUse(error)
    ? 'another process listens there, or it is no socket'
    : error instanceof Error
      ? error.message
      : String(error)
  return new ListenError(`cannot listen on ${path}: ${why}`, { cause: error })
}
