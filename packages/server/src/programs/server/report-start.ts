import type { LogEvent } from '@parley/engine'
import type { SharedStore } from '@parley/engine/shared-store'
import type { Listeners } from '@parley/serving'
import type { ServerUsers } from '@parley/team/people'
import type { ServerArguments } from '../arguments.ts'
import { describeCertificate, describeListener } from './describe-listener.ts'
import { reportToLauncher } from './launch-daemon.ts'
import type { Reports } from './wait-for-store.ts'

const unreachable =
  'parley server: clients of other servers cannot reach this one by that address. Say how they can: --advertise wss://NAME:PORT'

interface AddressReport extends Reports {
  readonly users: ServerUsers | null
  readonly store: SharedStore | null
  readonly nowMs: number
}

/** Reports why a server does not start, to the launcher of a daemon or on stderr. */
export async function reportProblem(problem: string, { isDaemon }: ServerArguments): Promise<void> {
  if (isDaemon) await reportToLauncher({ problem })
  else process.stderr.write(`parley server: ${problem}\n`)
}

/** Reports the addresses of a server that has started, and what keeps clients from connecting to them. */
export async function reportAddresses(
  { socket: ownSocket, others, announced }: Listeners,
  { isDaemon, role, tls }: ServerArguments,
  { users, store, nowMs, writeLog, logEvent }: AddressReport,
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
