import { lstat, unlink } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { ConnectError, connectErrorOf, ListenError, type Listener } from './failures.ts'
import { createStreamTransport } from './stream-transport.ts'
import type { Transport } from './transport.ts'

export interface ListenSocketOptions {
  readonly path: string
  /** Owns the transport. */
  onConnection(transport: Transport): void
}

/** What the kernel takes, without the closing zero byte (Linux 108, macOS 104); a longer path would be cut silently. */
const maxPathBytes = process.platform === 'linux' ? 107 : 103

/**
 * A Unix socket that only this user can open, one JSON text per line. The file of a listener that died is replaced,
 * that of a living one never. Rejects with `ListenFailed`.
 */
export async function listenSocket({ path, onConnection }: ListenSocketOptions): Promise<Listener> {
  if (Buffer.byteLength(path) > maxPathBytes) {
    throw new ListenError(`the path of a socket may have ${maxPathBytes} bytes, and ${path} is longer`)
  }
  // Half-open, so that answers reach a far side that has ended its requests.
  const server = createServer({ allowHalfOpen: true }, (socket: Socket) => {
    onConnection(createStreamTransport({ input: socket, output: socket }))
  })
  try {
    await bindPrivately(server, path)
  } catch (error) {
    if (!isInUse(error) || !(await isAbandoned(path))) throw listenFailure(path, error)
    await unlink(path).catch(() => {})
    await bindPrivately(server, path).catch((again: unknown) => {
      throw listenFailure(path, again)
    })
  }
  const close = createCloseOnce(server)
  return { address: path, close, [Symbol.asyncDispose]: close }
}

/** The bind happens within `listen`, so the file never exists with more rights than 0600. */
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

function createCloseOnce(server: Server): () => Promise<void> {
  let closed: Promise<void> | undefined
  return () => {
    // Not awaited to its end, which comes only when the last connection has ended; the file is gone at once.
    closed ??= Promise.resolve(void server.close())
    return closed
  }
}

/** A connection to a file that is no socket is refused like one to a dead socket, so both are looked at. */
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
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
}

function listenFailure(path: string, error: unknown): ListenError {
  const why = isInUse(error)
    ? 'another process listens there, or it is no socket'
    : error instanceof Error
      ? error.message
      : String(error)
  return new ListenError(`cannot listen on ${path}: ${why}`, { cause: error })
}

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
