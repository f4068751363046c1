import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { RpcError } from '@parley/rpc'

/** Connects to the target of the caller. Rejects with a rejection that names the reason. */
export type Connect = () => Promise<Duplex>

/** Time for the head of the first request, and for a caller to read the rest. */
const headMs = 30_000
const restMs = 60_000

/**
 * Relays a connection once its first request names one of the hosts. Each side is read only as fast as the other takes
 * the bytes.
 */
export async function relay(caller: Socket, hosts: readonly string[], connect: Connect): Promise<void> {
  const head = await readHead(caller, hosts)
  if (head === null)
    return answer(caller, '421 Misdirected Request', 'This is not the address that /forward has given.')
  try {
    join(caller, await connect(), head)
  } catch (error) {
    const why = error instanceof RpcError ? error.message : 'The port of the sandbox could not be reached.'
    answer(caller, '502 Bad Gateway', why)
  }
}

/** Resolves to the first bytes of a connection that may pass; null for any other and for one that sends nothing. */
function readHead(caller: Socket, hosts: readonly string[]): Promise<Buffer | null> {
  return new Promise((resolve) => {
    let head = Buffer.alloc(0)
    const settle = (read: Buffer | null) => {
      caller.setTimeout(0)
      caller.pause().off('data', take).off('end', endEarly).off('close', endEarly)
      resolve(read)
    }
    const endEarly = () => settle(null)
    const take = (chunk: Buffer) => {
      head = Buffer.concat([head, chunk])
      const verdict = judgeHead(head, hosts)
      if (verdict !== 'more') settle(verdict === 'pass' ? head : null)
    }
    caller.on('data', take).once('end', endEarly).once('close', endEarly)
    caller.setTimeout(headMs, () => caller.destroy())
  })
}

function join(caller: Socket, server: Duplex, head: Buffer): void {
  if (caller.destroyed) {
    server.destroy()
    return
  }
  endWith(caller, server)
  endWith(server, caller)
  server.write(head)
  server.pipe(caller)
  caller.pipe(server)
  server.once('end', () => caller.setTimeout(restMs, () => caller.destroy()))
}

/** Destroys `other` when `one` ends before all of it was read; after that its end is passed on in order. */
function endWith(one: Duplex, other: Duplex): void {
  one.on('error', () => one.destroy())
  one.once('close', () => {
    if (!one.readableEnded) other.destroy()
  })
}

function answer(caller: Socket, status: string, text: string): void {
  const lines = [
    `HTTP/1.1 ${status}`,
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text) + 1}`,
    'Connection: close',
  ]
  // Unread bytes would reset the connection before the answer is there.
  caller.resume().end(`${lines.join('\r\n')}\r\n\r\n${text}\n`)
  caller.setTimeout(headMs, () => caller.destroy())
}

/** Bytes of a request's head that are read at most. */
export const maxHeadBytes = 32 * 1024

/** First byte of TLS. The browser checks its certificate against the name. */
const tlsHandshake = 0x16

/**
 * Judges the first bytes of a connection: requests of HTTP/1 for one of the hosts pass, and TLS; requests for other hosts
 * do not. `more` while the head is incomplete.
 */
export function judgeHead(bytes: Buffer, hosts: readonly string[]): 'pass' | 'refuse' | 'more' {
  if (bytes.length === 0) return 'more'
  if (bytes[0] === tlsHandshake) return 'pass'
  const text = bytes.toString('latin1')
  if (!/^[A-Z]/.test(text)) return 'refuse'
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return bytes.length < maxHeadBytes ? 'more' : 'refuse'
  const [line = '', ...fields] = text.slice(0, end).split('\r\n')
  const isPlain =
    /^[A-Z]+ \S+ HTTP\/1\.[01]$/.test(line) && fields.every((field) => /^[\w!#$%&'*+.^`|~-]+:/.test(field))
  const named = fields.flatMap((field) => /^host:[ \t]*(.*?)[ \t]*$/i.exec(field)?.[1]?.toLowerCase() ?? [])
  const [host = ''] = named
  return isPlain && named.length === 1 && hosts.includes(host) ? 'pass' : 'refuse'
}
