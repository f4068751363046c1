import { setTimeout as delay } from 'node:timers/promises'
import { readPrivateFile } from '@parley/host'
import type { Transport } from '@parley/rpc'
import { machinePath } from '@parley/serving'
import { systemErrorReason } from '@parley/workspace'
import type { OutgoingLink } from './exec-arguments.ts'

interface OutgoingConnections extends OutgoingLink {
  readonly tokenFile: string
  /** Differs for each start of an exec-server. */
  readonly run: string
  /** Serves a connection until it closes. Calls `onClient` when its first request has come. */
  serve(transport: Transport, onClient: () => void): Promise<unknown>
  say(sentence: string): void
  readonly signal: AbortSignal
}

const firstPauseMs = 200
/** Longest pause, short enough that a server that was started anew has the machine before its first conversation opens. */
const longestPauseMs = 5000
/** Connections for work at a time to each server, which has one for each conversation. */
const mostConnections = 256
/** Interval of pings: a laptop that changes its network finds out within some 15 s. */
const beatMs = 5000

/** Keeps a connection that waits for work open to each server, until the signal. The next one is made when work begins. */
export async function stayConnected(outgoing: OutgoingConnections): Promise<void> {
  await Promise.all(outgoing.servers.map((server) => stayAt(server, outgoing)))
}

async function stayAt(server: string, outgoing: OutgoingConnections): Promise<void> {
  const { name, signal } = outgoing
  const say = sayOnce(outgoing.say)
  const working = new Set<Promise<unknown>>()
  let pauseMs = firstPauseMs
  while (!signal.aborted) {
    if (working.size >= mostConnections) await Promise.race(working)
    const end = await waitForWork(server, outgoing, () => say(`connected to ${server} as ${name}`)).catch(
      systemErrorReason,
    )
    if (signal.aborted) return
    if (typeof end !== 'string') {
      pauseMs = firstPauseMs
      const served = end.served.finally(() => working.delete(served))
      working.add(served)
      continue
    }
    say(`not connected to ${server}: ${end}; it is being tried again`)
    // Not all machines of a team at once, when a server comes back.
    await delay(pauseMs * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => undefined)
    pauseMs = Math.min(2 * pauseMs, longestPauseMs)
  }
}

/** Resolves when work has begun on a connection, or with the reason why it was lost before. */
async function waitForWork(
  server: string,
  outgoing: OutgoingConnections,
  onOpen: () => void,
): Promise<string | { readonly served: Promise<unknown> }> {
  const transport = await dial(server, outgoing)
  onOpen()
  const close = () => void transport.close()
  outgoing.signal.addEventListener('abort', close)
  const begun = Promise.withResolvers<'begun'>()
  const served = outgoing
    .serve(transport, () => begun.resolve('begun'))
    .finally(() => outgoing.signal.removeEventListener('abort', close))
  const first = await Promise.race([begun.promise, served.then(() => 'ended' as const)])
  if (first === 'begun') return { served }
  const { code, detail } = await transport.closed
  return detail ?? (code === 'ended' ? 'it closed the connection' : 'the connection broke')
}

async function dial(
  server: string,
  { name, users, run, ca, tokenFile, signal }: OutgoingConnections,
): Promise<Transport> {
  const { connectWebSocket } = await import('@parley/rpc/websocket')
  const query = new URLSearchParams({ name, run, ...(users === null ? {} : { users: users.join(',') }) })
  const url = `${server}${machinePath}?${query}`
  const token = readPrivateFile(tokenFile).trim()
  return connectWebSocket({
    url,
    name: server,
    token,
    signal,
    beatMs,
    authorities: '--ca-file',
    ...(ca === null ? {} : { ca }),
  })
}

/** Returns a function that prints a sentence unless it equals the one before. */
function sayOnce(say: (sentence: string) => void): (sentence: string) => void {
  let said = ''
  return (sentence) => {
    if (sentence !== said) say(sentence)
    said = sentence
  }
}
