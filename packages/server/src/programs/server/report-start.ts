import type { LogEvent } from '@parley/engine'
import { validityFault } from '@parley/rpc'
import { type Listeners, readPem, type TlsPaths } from '@parley/serving'
import type { ServerUsers } from '@parley/team/people'
import { isLoopbackHost } from '@parley/text'
import type { ServerArguments } from '../arguments.ts'
import { reportToLauncher } from './launch-daemon.ts'
import type { TeamOfServer } from './open-team.ts'
import type { Reports } from './wait-for-store.ts'

const unreachable =
  'parley server: clients of other servers cannot reach this one by that address. Say how they can: --advertise wss://NAME:PORT'

/** Reports why a server does not start, to the launcher of a daemon or on stderr. */
export async function reportProblem(problem: string, { isDaemon }: ServerArguments): Promise<void> {
  if (isDaemon) await reportToLauncher({ problem })
  else process.stderr.write(`parley server: ${problem}\n`)
}

/** Reports the addresses of a server that has started, and what keeps clients from connecting to them. */
export async function reportAddresses(
  { socket: ownSocket, others, announced }: Listeners,
  { isDaemon, role, tls }: ServerArguments,
  {
    users,
    store,
    nowMs,
    writeLog,
    logEvent,
  }: Reports & Pick<TeamOfServer, 'users' | 'store'> & { readonly nowMs: number },
): Promise<void> {
  const certificateFault = describeCertificate(tls, nowMs)
  if (certificateFault !== null) {
    writeLog(certificateFault)
    reportFault('server.certificate', certificateFault, logEvent)
  }
  const isUnreachable = store !== null && announced === null && others.length > 0
  if (logEvent !== undefined) for (const { address } of others) logEvent({ event: 'server.listening', address })
  if (isUnreachable) reportFault('server.unreachable', unreachable, logEvent)
  if (logEvent !== undefined) return
  const socket = ownSocket()
  const addresses = [...(socket === null ? [] : [socket]), ...others.map(({ address }) => address)]
  if (isDaemon) await reportToLauncher({ addresses })
  else if (role === 'service')
    for (const listener of others) process.stderr.write(`${describeListener(listener, users)}\n`)
}

function reportFault(
  event: 'server.certificate' | 'server.unreachable',
  sentence: string,
  logEvent: LogEvent | undefined,
): void {
  if (logEvent === undefined) process.stderr.write(`${sentence}\n`)
  else logEvent({ event })
}

/** Returns the sentence about an address at the start: where it is, which token it takes, and who else can reach it. */
export function describeListener(
  { address, tokenFile, page }: Pick<Listeners['others'][number], 'address' | 'tokenFile' | 'page'>,
  users: Pick<ServerUsers, 'file' | 'lines'> | null,
): string {
  const from = `parley server listens on ${address}${page == null ? '' : `, with the page at ${page}`}`
  if (tokenFile !== null) return `${from} (token in ${tokenFile})${reach(address, 'the token')}`
  if (users === null || !/^wss?:/.test(address)) return from
  const isEmpty = !users.lines.some(({ kind }) => kind === 'user')
  const next = isEmpty ? '; it has none yet: parley user add NAME --role admin' : ''
  return `${from} (users in ${users.file}${next})${reach(address, 'the token of a user')}`
}

/**
 * Returns the sentence about a certificate that clients reject for its dates; null for any other certificate, or
 * without one.
 */
export function describeCertificate(tls: TlsPaths | null, nowMs: number): string | null {
  const fault = tls === null ? null : validityFault(readPem(tls.certFile), nowMs)
  if (tls === null || fault === null) return null
  return `parley server: the certificate ${tls.certFile} ${fault}, so clients do not connect. Put another in its place, and start the server again`
}

/** Returns the machines that reach an address besides this one, and its protection; empty for a local address. */
function reach(address: string, token: string): string {
  const { protocol, hostname } = new URL(address)
  if (isLoopbackHost(hostname)) return ''
  const who = hostname === '0.0.0.0' || hostname === '[::]' ? 'at every address of this machine, ' : ''
  const enters = `. Other machines reach it ${who}and get in with ${token} only`
  if (protocol === 'wss:') return `${enters}; TLS hides it from those on the way.`
  return `${enters}; without TLS whoever is on the way reads it, unless something in front adds that. Use wss:// with --tls-cert and --tls-key, or listen on 127.0.0.1.`
}
