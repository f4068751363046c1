import { once } from 'node:events'
import { openHost } from '@parley/host'
import { createStreamTransport, ListenFailed, type PeerFault, type Transport } from '@parley/rpc'
import type { Address } from '../../serving/address.ts'
import { listenOn } from '../../serving/listen.ts'
import { endOnDefect, keepStdoutForProtocol, sweepLater } from '../../serving/process-manners.ts'
import { UsageProblem } from '../../serving/usage-problem.ts'
import { describeEnvironment } from './describe-environment.ts'
import type { ExecOptions } from './exec-options.ts'
import { type ExecFace, serveExec } from './serve-exec.ts'
import { createSessions } from './sessions.ts'

const exitCodes = { ended: 0, cannotListen: 1 } as const
/** Whoever started us over stdio may take its time. */
const greetingMs = 10_000

/** Makes this process an exec-server until its client, or whoever started it, ends it. Resolves with the exit code. */
export async function runExecServer(options: ExecOptions, version: string): Promise<number> {
  keepStdoutForProtocol()
  const host = openHost()
  const sessions = createSessions({ host, lingerMs: options.lingerMs })
  const end = async () => {
    await sessions.close()
    await host.close()
  }
  endOnDefect(say, end)
  const ended = endOnSignals()
  void host.warmUp().catch(say)
  sweepLater(say, null)
  const { listen } = options
  const face: ExecFace = {
    sessions,
    environmentInfo: describeEnvironment(version),
    greetingMs: listen === null ? null : greetingMs,
    report,
  }
  try {
    if (listen === null) await Promise.race([serveStdio(face), ended])
    else await serveAll(listen, { face, tokenFile: options.tokenFile, ended })
    return exitCodes.ended
  } catch (error) {
    if (!(error instanceof ListenFailed || error instanceof UsageProblem)) throw error
    say(error.message)
    return exitCodes.cannotListen
  } finally {
    await end()
  }
}

function serveStdio(face: ExecFace): Promise<unknown> {
  return serveExec(createStreamTransport({ input: process.stdin, output: process.stdout }), face)
}

interface Serving {
  readonly face: ExecFace
  readonly tokenFile: string
  readonly ended: Promise<unknown>
}

/** Until it is told to end. */
async function serveAll(listen: Address, { face, tokenFile, ended }: Serving): Promise<void> {
  const connections = { accept: (transport: Transport) => void serveExec(transport, face).catch(say) }
  const { listener, address, tokenFile: used } = await listenOn(listen, { tokenFile }, { connections, home: '' })
  process.stderr.write(`parley exec-server listens on ${address}${used === null ? '' : ` (token in ${used})`}\n`)
  await ended
  await listener.close()
}

function endOnSignals(): Promise<unknown> {
  return Promise.race((['SIGTERM', 'SIGINT', 'SIGHUP'] as const).map((signal) => once(process, signal)))
}

function report(fault: PeerFault): void {
  say(fault.code === 'handlerFailed' ? `${fault.method}: ${String(fault.cause)}` : fault.code)
}

function say(what: unknown): void {
  process.stderr.write(`parley exec-server: ${what instanceof Error ? (what.stack ?? what.message) : String(what)}\n`)
}
