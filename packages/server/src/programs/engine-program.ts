import { ClientError, type ConnectOptions, connect, type Parley } from '@parley/client'
import { type Connect, connectClient } from '@parley/client/low-level'
import { type NamedServer, unreachedExits } from '@parley/client/named-servers'
import { createEngine, type Engine, type EngineChoices, type EngineParts, sweepLeftovers } from '@parley/engine'
import type { CallersLimits } from '@parley/frontends'
import { unsavedExitCode } from '@parley/protocol'
import { createMemoryTransportPair } from '@parley/rpc'
import {
  announceMovedSocket,
  endOnDefect,
  keepStdoutForProtocol,
  listenInRunFolder,
  stateFolder,
  sweepLater,
} from '@parley/serving'
import { createConnections, serveConnection } from '../frontends/conversation/connections.ts'
import type { FrontendArguments } from './arguments.ts'
import { callersLimits } from './callers-limits.ts'
import { connectorToServers, libraryOnServers } from './named-servers.ts'
import { openSharedStore, shortWait, warningsOf } from './shared-store.ts'

/** Engine of a program with clients that speak another protocol than the native one. */
interface EngineOfProgram {
  readonly engine: Engine
  /** Limits for requests of the program's clients. */
  readonly limits: CallersLimits
  /** Connects to the engine, or to a server of a team in its place. */
  readonly connect: Connect
  /** Connects with the client library. */
  readonly library: (options: ConnectOptions) => Promise<Parley>
}

const cannotOpenStoreExitCode = 1

interface Refused {
  readonly problem: string
  readonly exitCode?: number
}

/**
 * Runs a program with an engine, which other processes can join meanwhile. Resolves with the exit code. `server` has the
 * conversations in place of the engine; null for conversations here.
 */
export async function runWithEngine(
  parts: EngineParts,
  {
    ceiling,
    server,
    editors,
  }: Pick<EngineChoices, 'editors'> & Pick<FrontendArguments, 'ceiling'> & { readonly server: NamedServer | null },
  run: (program: EngineOfProgram) => Promise<void>,
): Promise<number> {
  keepStdoutForProtocol()
  const { machine, files, redaction, writeLog } = parts
  const { home } = machine
  const { program } = ceiling
  const opened =
    server === null
      ? await openSharedStore(null, { home, files, redaction, warn: warningsOf(program), wait: shortWait(program) })
      : await reachTeam(server)
  if ('problem' in opened) {
    const { problem, exitCode = cannotOpenStoreExitCode }: Refused = opened
    process.stderr.write(`parley ${program}: ${problem}\n`)
    await machine.host.close()
    return exitCode
  }
  const { store } = opened
  const engine = createEngine(parts, { store: store ?? undefined, ceiling, editors })
  const close = async () => {
    await using _store = store
    await engine[Symbol.asyncDispose]()
    await machine.host.close()
  }
  endOnDefect(writeLog, close)
  const limits = callersLimits(ceiling, engine.limits)
  const leaveRunFolder = server === null ? await joinRunFolder(engine, parts) : null
  try {
    await run({ engine, limits, ...connectionsTo(engine, server) })
  } finally {
    await leaveRunFolder?.()
  }
  return close().then(
    () => 0,
    (error: unknown) => {
      writeLog(String(error))
      return unsavedExitCode
    },
  )
}

/** Makes sure, before anything is served, that a server answers and takes the token. */
async function reachTeam(server: NamedServer): Promise<{ readonly store: null } | Refused> {
  try {
    await (await libraryOnServers(server, { name: 'parley' })).close()
    return { store: null }
  } catch (error) {
    if (!(error instanceof ClientError)) throw error
    const exits: Readonly<Record<string, number>> = unreachedExits
    return { problem: error.message, exitCode: exits[error.data.code] ?? unreachedExits.serverUnreachable }
  }
}

function connectionsTo(engine: Engine, server: NamedServer | null): Pick<EngineOfProgram, 'connect' | 'library'> {
  return server === null
    ? { connect: connectorTo(engine), library: (options) => libraryOn(engine, options) }
    : { connect: connectorToServers(server), library: (options) => libraryOnServers(server, options) }
}

/** Returns the function that connects a frontend to the engine, over memory and as any client. */
export function connectorTo(engine: Engine): Connect {
  return (who) => connectClient({ ...who, transport: transportTo(engine) })
}

/** Connects to the engine with the client library, over memory. */
export function libraryOn(engine: Engine, options: ConnectOptions): Promise<Parley> {
  return connect({ transport: transportTo(engine) }, options)
}

function transportTo(engine: Engine) {
  const [ours, theirs] = createMemoryTransportPair()
  void serveConnection(theirs, engine)
  return ours
}

/** Resolves at a signal that ends a server. */
export function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => resolve())
  })
}

/** Makes a signal an end of stdin, after which the program has nothing more to serve. */
export function endStdinOnSignals(): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.stdin.destroy())
  process.on('SIGHUP', () => undefined)
}

/** Opens a socket in the run folder, where other processes join conversations that are open here. */
async function joinRunFolder(
  engine: Engine,
  { machine: { env, home, host }, files, writeLog }: EngineParts,
): Promise<() => Promise<void>> {
  const connections = createConnections({ engine, onChange: () => undefined })
  const listener = await listenInRunFolder({
    env,
    home,
    onConnection: (transport) => connections.accept(transport, 'socket'),
    onMoved: (socket) => announceMovedSocket(socket, engine, host),
    report: writeLog,
  })
  engine.listensAt({ socket: listener.address() })
  const sweepNow = sweepLater(writeLog, {
    host,
    notes: stateFolder(home),
    socket: listener.address,
    sweepFolders: () => sweepLeftovers(files, home),
  })
  return async () => {
    await listener.close()
    await connections.close()
    await sweepNow()
  }
}
