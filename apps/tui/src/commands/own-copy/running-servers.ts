import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { connect, type Parley } from '@parley/client'
import { exitCodes, ParleyError } from '../../cli/exit-codes.ts'
import { realOrGiven } from '../../cli/folders.ts'

/** Another server that uses the same home. */
export interface RunningServer {
  readonly pid: number
  /** Names of the programs that are connected to it. */
  readonly clients: readonly string[]
  /** Number of open conversations. */
  readonly conversations: number
}

const answerMs = 3_000
const socketMs = 2_000
const endMs = 10_000
const pauseMs = 50

/**
 * Finds the other servers of the home by their sockets and by the conversations that they have open. Rejects with
 * `liveElsewhere` if one does not answer at its socket.
 */
export async function runningServers(own: Pick<Parley, 'request' | 'listLive'>): Promise<readonly RunningServer[]> {
  const { home, pid } = await own.request('server/diagnostics', {})
  const socket = await socketOf(own)
  const sockets = socket === null ? [] : socketsBeside(socket)
  const holders = (await own.listLive()).flatMap(({ live }) => live ?? [])
  const held = new Set(holders.map((holder) => holder.socket))
  const answers = await Promise.all(sockets.map((path) => serverAt(path, home)))
  const silent = answers.flatMap((answer) => (answer?.kind === 'silent' && !held.has(answer.socket) ? [answer] : []))
  if (silent[0] !== undefined) throw new ParleyError('liveElsewhere', exitCodes.storage, silentText(silent[0].socket))
  const listening = answers.flatMap((answer) => (answer?.kind === 'answered' ? [answer.server] : []))
  const holding = holders.map((holder) => holder.pid)
  const known = new Set([pid, ...listening.map((server) => server.pid)])
  const others = [...new Set(holding)].filter((holder) => !known.has(holder))
  return [
    ...listening,
    ...others.map((holder) => ({ pid: holder, clients: ['a client that is not known'], conversations: 1 })),
  ]
}

/** Resolves to the socket of a server, which makes it after its first answer; null without a socket after 2 s. */
async function socketOf(own: Pick<Parley, 'request'>): Promise<string | null> {
  const endsAtMs = performance.now() + socketMs
  for (;;) {
    const { addresses } = await own.request('server/diagnostics', {})
    const socket = addresses.find((address) => address.startsWith('/'))
    if (socket !== undefined) return socket
    if (performance.now() > endsAtMs) return null
    await delay(pauseMs)
  }
}

function socketsBeside(socket: string): readonly string[] {
  const folder = dirname(socket)
  const paths = readdirSync(folder).map((name) => join(folder, name))
  return paths.filter((path) => path.endsWith('.sock') && path !== socket)
}

function silentText(socket: string): string {
  return `A server at ${socket} does not answer, and may use this home. End it (fuser -k ${socket}, or kill its process), then run this again. Nothing was removed.`
}

type SocketAnswer =
  | { readonly kind: 'answered'; readonly server: RunningServer }
  /** A server listens and did not answer in time. */
  | { readonly kind: 'silent'; readonly socket: string }

/** Requests the state of the server at a socket; null if no server listens, or a server of another home. */
async function serverAt(socket: string, home: string): Promise<SocketAnswer | null> {
  const signal = AbortSignal.timeout(answerMs)
  try {
    const options = { name: 'parley-uninstall', access: 'readOnly', signal } as const
    await using parley = await connect({ socket }, options)
    if (realOrGiven(parley.server.home) !== realOrGiven(home)) return null
    const { pid, clients, conversations } = await parley.request('server/diagnostics', {})
    const { clientId } = parley.server
    const others = clients.filter((client) => client.clientId !== clientId)
    const names = others.map(({ title, name }) => title ?? name)
    return { kind: 'answered', server: { pid, clients: names, conversations: conversations.length } }
  } catch {
    return signal.aborted ? { kind: 'silent', socket } : null
  }
}

/** Ends servers, which save first. Resolves to the servers that still run after 10 s. */
export async function endServers(servers: readonly RunningServer[]): Promise<readonly RunningServer[]> {
  for (const { pid } of servers) signal(pid, 'SIGTERM')
  const endsAtMs = performance.now() + endMs
  let left = servers.filter(({ pid }) => signal(pid, 0))
  while (left.length > 0 && performance.now() < endsAtMs) {
    await delay(pauseMs)
    left = left.filter(({ pid }) => signal(pid, 0))
  }
  return left
}

/** Returns false where the process has ended. */
function signal(pid: number, name: 'SIGTERM' | 0): boolean {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}
