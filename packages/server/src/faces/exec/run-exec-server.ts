import { Console } from 'node:console'
import { once } from 'node:events'
import { openHost, sweepOrphans } from '@parley/host'
import { createStreamTransport, ListenFailed, type PeerFault, type Transport } from '@parley/rpc'
import type { Address } from '../../serving/address.ts'
import { listenOn } from '../../serving/listen.ts'
import { UsageProblem } from '../../serving/usage-problem.ts'
import { describeEnvironment } from './describe-environment.ts'
import type { ExecOptions } from './exec-options.ts'
import { type ExecFace, serveExec } from './serve-exec.ts'
import { createSessions } from './sessions.ts'

const exitCodes = { ended: 0, cannotListen: 1, defect: 70 } as const
const farewellMs = 1500
/** What a killed server left is looked for when nobody waits for us any more. */
const sweepAfterMs = 2000

/** Makes this process an exec-server until its client, or whoever started it, ends it. Resolves with the exit code. */
export async function runExecServer(options: ExecOptions, version: string): Promise<number> {
  globalThis.console = new Console(process.stderr) // stdout is the protocol's
  const host = openHost()
  const sessions = createSessions({ host, lingerMs: options.lingerMs })
  const end = async () => {
    await sessions.close()
    await host.close()
  }
  endOnDefect(end)
  const ended = endOnSignals()
  void host.warmUp().catch(say)
  setTimeout(() => void sweepOrphans().catch(say), sweepAfterMs).unref()
  const face: ExecFace = { sessions, environmentInfo: describeEnvironment(version), report }
  try {
    if (options.listen === null) await Promise.race([serveStdio(face), ended])
    else await serveAll(options.listen, { face, tokenFile: options.tokenFile, ended })
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
  say(`listens on ${address}${used === null ? '' : ` (token in ${used})`}`)
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

/** Nothing a client did leads here. Processes are ended, for a moment, then this one goes. */
function endOnDefect(end: () => Promise<void>): void {
  const fail = (error: unknown) => {
    say(error)
    const leave = () => process.exit(exitCodes.defect)
    setTimeout(leave, farewellMs).unref()
    end().then(leave, leave)
  }
  process.once('uncaughtException', fail)
  process.once('unhandledRejection', fail)
}
