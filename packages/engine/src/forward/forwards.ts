import { randomBytes } from 'node:crypto'
import type { Duplex } from 'node:stream'
import type { Actor, Forward } from '@parley/protocol'
import type { Conversation } from '../conversation/conversation.ts'
import { unlessStorageFails } from '../conversation/storage-retry.ts'
import { invalidParam } from '../replies/rejection.ts'
import { listenHere } from './listen-here.ts'
import { type Connect, relay } from './relay.ts'

/** Ports of the sandboxed commands of one conversation that programs of this machine reach. */
export interface Forwards {
  /** Forwards a port and records it. Rejects with `portNotReachable` where nothing listens on it. */
  open(port: number, by: Actor): Promise<Forward>
  /** Ends a forwarding and records it; not for a port that is not forwarded. */
  stop(port: number, by: Actor): { readonly stopped: boolean }
  close(): void
}

interface ForwardPorts {
  readonly conversation: Pick<Conversation, 'record'>
  /** Connects to a port in the network of the commands. Rejects with a rejection. */
  readonly connect: (port: number) => Promise<Duplex>
}

const maxForwards = 16

export function createForwards({ conversation, connect }: ForwardPorts): Forwards {
  const opened = new Map<number, Awaited<ReturnType<typeof openForward>>>()
  let last: Promise<unknown> = Promise.resolve()
  const record = (by?: Actor) => {
    const forwards = [...opened].map(([port, { url }]) => ({ port, url }))
    conversation.record({ type: 'forwards.changed', forwards, ...(by === undefined ? {} : { by }) })
  }
  const open = async (port: number, by: Actor) => {
    const known = opened.get(port)
    if (known !== undefined) return { port, url: known.url }
    if (opened.size >= maxForwards)
      throw invalidParam('port', `${maxForwards} ports are forwarded already. Stop one first.`)
    const found = await connect(port)
    found.destroy()
    const forward = await openForward(port, () => connect(port))
    opened.set(port, forward)
    try {
      record(by)
    } catch (error) {
      opened.delete(port)
      forward.close()
      throw error
    }
    return { port, url: forward.url }
  }
  return {
    open(port, by) {
      const result = last.then(() => open(port, by))
      last = result.catch(() => undefined)
      return result
    },
    stop(port, by) {
      const forward = opened.get(port)
      if (forward === undefined) return { stopped: false }
      forward.close()
      opened.delete(port)
      record(by)
      return { stopped: true }
    },
    close() {
      if (opened.size === 0) return
      for (const forward of opened.values()) forward.close()
      opened.clear()
      unlessStorageFails(() => record())
    },
  }
}

/**
 * Forwards a port. Its host name is drawn anew each time, so that no page can guess it, and a browser sends no cookie of
 * another port to it.
 */
export async function openForward(port: number, connect: Connect) {
  const name = `p${port}-${randomBytes(8).toString('hex')}.localhost`
  const streams = new Set<Duplex>()
  const kept = <Stream extends Duplex>(stream: Stream) => {
    streams.add(stream)
    stream.once('close', () => streams.delete(stream))
    return stream.on('error', () => stream.destroy())
  }
  let hosts = [name]
  const listener = await listenHere(port, (caller) => {
    void relay(kept(caller), hosts, async () => kept(await connect()))
  })
  hosts = [name, `${name}:${listener.port}`]
  return {
    url: `http://${name}:${listener.port}/`,
    /** Ends the forward with its connections. */
    close() {
      listener.close()
      for (const stream of streams) stream.destroy()
    },
  }
}
