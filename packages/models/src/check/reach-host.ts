import type { Socket } from 'node:net'
import type { SecureContext, TLSSocket } from 'node:tls'

/** Host and port, as text for people and for connecting. */
export interface HostPort {
  readonly host: string
  readonly port: number
}

/** Returns the addresses of a name, at least one. Rejects with the resolver's code. */
export async function lookUp(host: string, signal: AbortSignal): Promise<readonly string[]> {
  const { lookup } = await import('node:dns/promises')
  const found = await unlessAborted(lookup(host.replace(/^\[|\]$/g, ''), { all: true }), signal)
  return found.map(({ address }) => address)
}

/** Opens a TCP connection. Rejects with the code of the system, or `TIMEOUT`. */
export async function connectTo({ host, port }: HostPort, signal: AbortSignal): Promise<Socket> {
  const { connect } = await import('node:net')
  const socket = connect({ host: host.replace(/^\[|\]$/g, ''), port })
  return settled(socket, 'connect', signal)
}

/** Asks a proxy for a connection to a host on an open socket. Rejects with the status when the proxy refuses. */
export async function tunnelThrough(
  socket: Socket,
  { host, port }: HostPort,
  { proxy, signal }: { readonly proxy: URL; readonly signal: AbortSignal },
): Promise<void> {
  const login =
    proxy.username === '' ? '' : `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`
  const auth = login === '' ? '' : `Proxy-Authorization: Basic ${Buffer.from(login).toString('base64')}\r\n`
  socket.write(`CONNECT ${host}:${port} HTTP/1.1\r\nHost: ${host}:${port}\r\n${auth}\r\n`)
  let answer = ''
  while (!answer.includes('\r\n\r\n')) {
    const chunk: unknown = await unlessAborted(once(socket, 'data'), signal)
    answer += String(chunk)
    if (answer.length > 64 * 1024) throw coded('PROXY', 'the proxy answered with something else than HTTP')
  }
  const [, status = ''] = /^HTTP\/1\.\d (\d+[^\r\n]*)/.exec(answer) ?? []
  if (!status.startsWith('2')) throw coded('PROXY', `the proxy refused it: ${status || 'no HTTP status'}`)
}

/** Speaks TLS on an open socket and checks the certificate. Rejects with the code of the check. */
export async function secure(socket: Socket, { host, trust, signal }: Secured): Promise<TLSSocket> {
  const { connect } = await import('node:tls')
  const { isIP } = await import('node:net')
  const name = host.replace(/^\[|\]$/g, '')
  const servername = isIP(name) === 0 ? { servername: name } : { host: name }
  const checked = connect({ socket, ...servername, ...(trust === undefined ? {} : { secureContext: trust }) })
  return settled(checked, 'secureConnect', signal)
}

interface Secured {
  readonly host: string
  /** Authorities to check against; undefined for the defaults of Node. */
  readonly trust: SecureContext | undefined
  readonly signal: AbortSignal
}

/** Waits for an event of a socket; destroys it when it fails or the signal aborts. */
async function settled<Connection extends Socket>(
  socket: Connection,
  event: string,
  signal: AbortSignal,
): Promise<Connection> {
  try {
    await unlessAborted(once(socket, event), signal)
    return socket
  } catch (error) {
    socket.on('error', () => undefined)
    socket.destroy()
    throw error
  }
}

function once(socket: Socket, event: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    socket.once(event, resolve)
    socket.once('error', reject)
    socket.once('close', () => reject(coded('ECONNRESET', 'the connection was closed')))
  })
}

function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const late = () => reject(coded('TIMEOUT', 'no answer in time'))
    if (signal.aborted) late()
    signal.addEventListener('abort', late, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', late))
  })
}

function coded(code: string, message: string): Error {
  return Object.assign(new Error(message), { code })
}
