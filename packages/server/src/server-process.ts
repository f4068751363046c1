import { Console } from 'node:console'
import { sweepOrphans } from '@parley/host'
import { createStreamTransport } from '@parley/rpc'
import { createEngine, type EngineParts } from './engine/engine.ts'
import { createConnections } from './serving/connections.ts'
import { tellLauncher } from './serving/launch-daemon.ts'
import { createLife, type Life } from './serving/life.ts'
import { type Doors, openDoors } from './serving/open-doors.ts'
import type { ServerArguments } from './serving/read-arguments.ts'
import { removeStaleSockets } from './serving/run-socket.ts'

/** After a defect (EX_SOFTWARE). */
const defectExitCode = 70
/** The disk refused at the end (EX_IOERR). */
const unsavedExitCode = 74
/** It cannot listen where it was told to. */
const unreachableExitCode = 1
const farewellMs = 1500
/** What a killed server left is looked for when nobody waits for us any more. */
const sweepAfterMs = 2000

/** Makes this process a server: for the client on its stdin and stdout, or for whoever comes. Resolves with the exit code. */
export async function serveProcess(parts: EngineParts, args: ServerArguments): Promise<number> {
  keepStdoutForProtocol()
  const { writeLog, env, home } = parts
  const engine = createEngine(parts)
  let unsaved = false
  const connections = createConnections({ engine, onChange: () => life.changed() })
  const life = createLife({
    kind: args.role === 'client' ? 'clients' : 'service',
    idleExitMs: args.idleExitMs,
    clients: () => connections.count,
    work: engine.host,
    onFault(fault) {
      unsaved = true
      writeLog(String(fault))
    },
  })
  const close = async () => {
    await engine[Symbol.asyncDispose]()
    await parts.host.close()
  }
  endOnSignals(life, args)
  endOnDefect(writeLog, close)
  if (args.role === 'client')
    connections.accept(createStreamTransport({ input: process.stdin, output: process.stdout }), 'stdio')
  const doors = await openDoors({ args, env, home, connections, writeLog })
  if ('problem' in doors) {
    await sayProblem(doors.problem, args)
    await close()
    return unreachableExitCode
  }
  engine.listensAt({ socket: doors.socket, others: doors.others.map(({ address }) => address) })
  await sayWhere(doors, args)
  sweepLater(writeLog, doors.socket)
  life.changed()
  await life.over
  await doors.close()
  const gone = connections.close()
  try {
    await close()
  } catch (error) {
    unsaved = true
    writeLog(String(error))
  }
  await gone
  return unsaved ? unsavedExitCode : 0
}

/** What a dependency prints goes to stderr. */
export function keepStdoutForProtocol(): void {
  globalThis.console = new Console(process.stderr)
}

/** A terminal that closes ends what was started in it by hand; a client's own server and a daemon are in no terminal. */
function endOnSignals(life: Life, { role, isDaemon }: ServerArguments): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, life.end)
  process.on('SIGHUP', role === 'service' && !isDaemon ? life.end : () => undefined)
}

async function sayProblem(problem: string, { isDaemon }: ServerArguments): Promise<void> {
  if (isDaemon) await tellLauncher({ problem })
  else process.stderr.write(`${problem}\n`)
}

async function sayWhere({ socket, others }: Doors, { isDaemon, role }: ServerArguments): Promise<void> {
  const addresses = [...(socket === null ? [] : [socket]), ...others.map(({ address }) => address)]
  if (isDaemon) await tellLauncher({ addresses })
  else if (role === 'service') for (const door of others) process.stderr.write(`${describe(door)}\n`)
}

function describe({ address, tokenFile }: Doors['others'][number]): string {
  return `parley server listens on ${address}${tokenFile === null ? '' : ` (token in ${tokenFile})`}`
}

/** Nothing a user did leads here. Commands are ended and the log is closed, for a moment, then the process goes. */
export function endOnDefect(writeLog: (line: string) => void, close: () => Promise<void>): void {
  const fail = (error: unknown) => {
    writeLog(`defect: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
    setTimeout(() => process.exit(defectExitCode), farewellMs).unref()
    close().then(
      () => process.exit(defectExitCode),
      () => process.exit(defectExitCode),
    )
  }
  process.once('uncaughtException', fail)
  process.once('unhandledRejection', fail)
}

export function sweepLater(writeLog: (line: string) => void, socket: string | null): void {
  const sweep = () => {
    sweepOrphans().then(
      (count) => {
        if (count > 0) writeLog(`ended ${count} processes that a killed server left running`)
      },
      (error: unknown) => writeLog(`looking for orphans failed: ${String(error)}`),
    )
    if (socket === null) return
    removeStaleSockets(socket).catch((error: unknown) => writeLog(`looking for sockets failed: ${String(error)}`))
  }
  setTimeout(sweep, sweepAfterMs).unref()
}
