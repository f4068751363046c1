import {
  createEngine,
  createJsonLog,
  type EngineParts,
  kindOfFault,
  type LogEvent,
  sweepLeftovers,
} from '@parley/engine'
import { unsavedExitCode } from '@parley/protocol'
import { createStreamTransport } from '@parley/rpc'
import {
  announceMovedSocket,
  endOnDefect,
  keepStdoutForProtocol,
  openListeners,
  stateFolder,
  sweepLater,
} from '@parley/serving'
import { type Connections, createConnections } from '../../frontends/conversation/connections.ts'
import { createWebFrontend } from '../../frontends/web/web-frontend.ts'
import type { ServerArguments } from '../arguments.ts'
import { createLifetime, type Lifetime } from './lifetime.ts'
import { cannotListenExitCode, openTeam } from './open-team.ts'
import { reportAddresses, reportProblem } from './report-start.ts'
import { sayStoreAway, watchStore } from './watch-store.ts'
import { websocketOptions } from './websocket-options.ts'

/** Runs a server for the client on stdin and stdout, or for any client. `page` is the folder of the page. Resolves with the exit code. */
export async function serveProcess(parts: EngineParts, args: ServerArguments, page: string): Promise<number> {
  keepStdoutForProtocol()
  const { writeLog, clock } = parts
  const { env, home, host } = parts.machine
  const logEvent = args.logsJson ? jsonLog(clock) : undefined
  const team = await openTeam(args, parts, { writeLog, logEvent })
  if ('problem' in team) {
    await reportProblem(team.problem, args)
    return host.close().then(() => team.exitCode)
  }
  const { store, users, metrics } = team
  const choices = { store: store ?? undefined, users: users ?? undefined, metrics, logEvent, ceiling: args.ceiling }
  const engine = createEngine(parts, choices)
  let unsaved = false
  const lifetime = createLifetime({
    kind: args.role === 'client' ? 'clients' : 'service',
    idleExitMs: args.idleExitMs,
    conversations: engine.host,
    onFault(fault) {
      unsaved = true
      writeLog(String(fault))
    },
  })
  const connections = createConnections({
    ...{ engine, logEvent, store, onChange: lifetime.changed },
    openWeb: (accept) => createWebFrontend({ folder: page, now: clock.now, accept }),
  })
  for (const look of [connections.closeRemoved, engine.machines.recheck]) users?.onChange(look)
  const close = async () => {
    await using _store = store
    using _users = users
    await engine[Symbol.asyncDispose]()
    await host.close()
  }
  endOnSignals(lifetime, args)
  using _watched = store === null ? null : watchStore(store, args, { writeLog, logEvent })
  endOnDefect(writeLog, close, (error) => logEvent?.({ event: 'defect', ...kindOfFault(error) }))
  await acceptStdio(args, connections)
  const listeners = await openListeners({
    ...{ args, env, home, connections, writeLog },
    onMoved: (socket) => announceMovedSocket(socket, engine, host),
    ...websocketOptions(args, { engine, connections, store, metrics, folder: page }),
  })
  if ('problem' in listeners) {
    await reportProblem(listeners.problem, args)
    await close()
    return cannotListenExitCode
  }
  const { socket, others, announced } = listeners
  const addresses = others.map(({ address }) => address)
  engine.listensAt({ socket: socket(), others: addresses, announced, page: listeners.page })
  await reportAddresses(listeners, args, { users, store, nowMs: clock.now(), writeLog, logEvent })
  const sweepNow = sweepLater(writeLog, {
    host,
    notes: stateFolder(home),
    socket,
    sweepFolders: () => sweepLeftovers(parts.files, home),
  })
  lifetime.changed(connections.count)
  await lifetime.over.then(() => sayStoreAway(store))
  await listeners.close()
  const gone = connections.close()
  try {
    await close()
  } catch (error) {
    unsaved = true
    writeLog(String(error))
  }
  await gone.then(sweepNow)
  logEvent?.({ event: 'server.ended', saved: unsaved ? 'no' : 'yes' })
  return unsaved ? unsavedExitCode : 0
}

function jsonLog({ now }: EngineParts['clock']): LogEvent {
  return createJsonLog({ now, pid: process.pid, write: (line) => void process.stderr.write(line) })
}

/** Serves the client on stdin. Its first request, which waits in the pipe by now, is answered before sockets are made. */
async function acceptStdio({ role, listen }: ServerArguments, connections: Connections): Promise<void> {
  if (role !== 'client') return
  connections.accept(createStreamTransport({ input: process.stdin, output: process.stdout }), 'stdio')
  if (listen.length === 0) await new Promise((resolve) => setImmediate(resolve))
}

/** Ends on signals. Closing a terminal ends only a service that was started in it by hand. */
function endOnSignals(lifetime: Lifetime, { role, isDaemon }: ServerArguments): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, lifetime.end)
  process.on('SIGHUP', role === 'service' && !isDaemon ? lifetime.end : () => undefined)
}
