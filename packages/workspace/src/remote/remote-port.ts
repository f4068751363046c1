import { randomBytes } from 'node:crypto'
import { Duplex } from 'node:stream'
import { RpcError } from '@parley/rpc'
import { PortRefusedError } from '../files/errors.ts'
import type { ExecInfo } from './exec-connection.ts'
import type { ExecLink } from './link.ts'

type PortLink = Pick<ExecLink, 'connection' | 'ask'>

/**
 * Connects to a port in a loopback on another machine. Rejects with `PortRefusedError` where that machine does not let
 * ports out, with `EnvironmentUnreachableError`, or with the exec-server's `RpcError` where nothing listens.
 * `environment`: its name, for messages. `loopback`: name of the loopback there.
 */
export async function connectRemotePort(
  link: PortLink,
  { environment, loopback: sharedLoopback, port }: { environment: string; loopback: string; port: number },
): Promise<Duplex> {
  const { info } = await link.connection()
  const refusal = refusalOf(info, environment)
  if (refusal !== null) throw new PortRefusedError(refusal)
  const connectionId = `c-${randomBytes(8).toString('hex')}`
  try {
    await link.ask('port/connect', { connectionId, sharedLoopback, port })
  } catch (error) {
    const code = error instanceof RpcError ? error.data?.code : null
    if (code === 'portsNotAllowed') throw new PortRefusedError(notAllowed(environment))
    if (code === 'tooManyConnections') throw new PortRefusedError(tooMany(environment))
    // Its answer may have been lost, and the connection made.
    if (code !== 'portNotReachable') void link.ask('port/close', { connectionId }).catch(() => undefined)
    throw error
  }
  return portStream(link, connectionId)
}

/** Returns why no port of a machine can be reached; null where they can. */
function refusalOf({ capabilities: { ports }, sandbox }: ExecInfo, environment: string): string | null {
  if (ports === undefined)
    return `The exec-server of environment ${environment} is too old to let ports of its sandbox out: update it.`
  if (!ports) return notAllowed(environment)
  if (sandbox?.sharesLoopback === true) return null
  return `The commands of environment ${environment} share no network there, so no port of theirs can be forwarded.`
}

function notAllowed(environment: string): string {
  return `The machine of environment ${environment} lets no port of its sandbox out. Its owner can allow it: parley exec-server … --forward yes.`
}

function tooMany(environment: string): string {
  return `Too many connections into environment ${environment} are open already. Try again when some have ended.`
}

/** Time that a request waits there, which is less than the link waits for an answer. */
const waitMs = 10_000
/** Bytes of one write, and limit of the bytes that wait here for a reader or a write. */
const chunkBytes = 192 * 1024
const keptBytes = 64 * 1024

/** Returns the stream of a connection. It asks for more only when its reader has taken what came, so it grows no buffer. */
function portStream(link: PortLink, connectionId: string): Duplex {
  let arrivedBytes = 0
  let writtenBytes = 0
  const read = async () => {
    while (!stream.destroyed) {
      const { chunk, ended } = await link.ask('port/read', { connectionId, afterByte: arrivedBytes, waitMs })
      const bytes = Buffer.from(chunk, 'base64')
      arrivedBytes += bytes.length
      if (bytes.length > 0) stream.push(bytes)
      if (ended) stream.push(null)
      if (ended || bytes.length > 0) return
    }
  }
  const write = async (bytes: Buffer, end: boolean) => {
    const firstByte = writtenBytes
    while (!stream.destroyed) {
      const from = writtenBytes - firstByte
      const chunk = bytes.subarray(from, from + chunkBytes).toString('base64')
      const isLast = from + chunkBytes >= bytes.length
      const request = { connectionId, afterByte: writtenBytes, chunk, end: end && isLast, waitMs }
      const written = (await link.ask('port/write', request)).writtenBytes
      if (written < writtenBytes || written > firstByte + bytes.length) throw new Error('it wrote what was not sent')
      writtenBytes = written
      if (written === firstByte + bytes.length) return
    }
  }
  const stream = new Duplex({
    highWaterMark: keptBytes,
    allowHalfOpen: true,
    read: () => void read().catch(broken),
    write: (chunk: Buffer, _, done) => void write(chunk, false).then(() => done(), done),
    writev: (chunks, done) =>
      void write(Buffer.concat(chunks.map(({ chunk }) => chunk)), false).then(() => done(), done),
    final: (done) => void write(Buffer.alloc(0), true).then(() => done(), done),
    destroy(error, done) {
      void link.ask('port/close', { connectionId }).catch(() => undefined)
      done(error)
    },
  })
  const broken = (error: unknown) => void stream.destroy(error instanceof Error ? error : new Error(String(error)))
  // A later reader notices its end by itself.
  return stream.on('error', () => undefined)
}
