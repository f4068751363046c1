import { randomBytes } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { listenHere } from './listen-here.ts'
import { type Connect, relay } from './relay.ts'

export interface OpenForward {
  readonly url: string
  /** Ends it, with its connections. */
  close(): void
}

/**
 * Forwards a port. Its host name is drawn anew each time, so that no page can guess it, and a browser sends it no cookie
 * of another port.
 */
export async function openForward(port: number, connect: Connect): Promise<OpenForward> {
  const name = `p${port}-${randomBytes(8).toString('hex')}.localhost`
  const streams = new Set<Duplex>()
  const kept = <Stream extends Duplex>(stream: Stream) => {
    streams.add(stream)
    stream.once('close', () => streams.delete(stream))
    return stream.on('error', () => stream.destroy())
  }
  let hosts = [name]
  const listener = await listenHere(
    port,
    (caller) => void relay(kept(caller), hosts, async () => kept(await connect())),
  )
  hosts = [name, `${name}:${listener.port}`]
  return {
    url: `http://${name}:${listener.port}/`,
    close() {
      listener.close()
      for (const stream of streams) stream.destroy()
    },
  }
}
