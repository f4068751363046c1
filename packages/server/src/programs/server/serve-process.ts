import {
  createEngine,
  createJsonLog,
  createMetrics,
  type Engine,
  type EngineParts,
  kindOfFault,
  type Metrics,
  sweepLeftovers,
} from '@parley/engine'
import type { SharedStore } from '@parley/engine/shared-store'
import type { Host } from '@parley/host'
import { noStoreExitCode, unsavedExitCode } from '@parley/protocol'
import { createStreamTransport } from '@parley/rpc'
import {
  endOnDefect,
  keepStdoutForProtocol,
  type Listeners,
  movedTo,
  openListeners,
  stateFolder,
  sweepLater,
} from '@parley/serving'
import type { ServerUsers } from '@parley/team/people'
import { relayTargets } from '@parley/team/relays'
import { type Connections, createConnections } from '../../frontends/conversation/connections.ts'
import { watchTeamOrigins } from '../../frontends/web/team-origins.ts'
import { createTeamPage } from '../../frontends/web/team-page.ts'
import { createWebFrontend } from '../../frontends/web/web-frontend.ts'
import type { ServerArguments } from '../arguments.ts'
import { openSharedStore, warningsOf } from '../shared-store.ts'
import { openUsersOfServer } from '../users-of-server.ts'
import { describeCertificate, describeListener } from './describe-listener.ts'
import { followStore, sayStoreAway } from './follow-store.ts'
import { reportToLauncher } from './launch-daemon.ts'
import { waitForStore } from './wait-for-store.ts'
import { watchProcess } from './watch-process.ts'
import { watchReadiness } from './watch-readiness.ts'

/** Exit code when an address cannot be listened on, or the users cannot be read. */
const cannotListenExitCode = 1

/** Runs a server for the client on stdin and stdout, or for any client. `page` is the folder of the page. Resolves with the exit code. */
export async function serveProcess(given: EngineParts, args: ServerArguments, page: string): Promise<number> {
  keepStdoutForProtocol()
  const parts = { ...given, ...logOf(given, args) }
  const { writeLog, logEvent, env, home } = parts
  const opened = await openShared(args, parts)
  if ('problem' in opened) {
    await reportProblem(opened.problem, args)
    await parts.host.close()
    return opened.exitCode
  }
  const { store, users, metrics, shared } = opened
  const engine = createEngine({ ...parts, ...shared, ceiling: args.ceiling })
  let unsaved = false
  const web = createWebFrontend({
    folder: page,
    now: parts.clock.now,
    accept: (transport, proven) => connections.accept(transport, 'websocket', proven),
  })
  const connections = createConnections({ engine, web, logEvent, store, onChange: () => lifetime.changed() })
  const lifetime = createLifetime({
    kind: args.role === 'client' ? 'clients' : 'service',
    idleExitMs: args.idleExitMs,
    clients: () => connections.count,
    work: engine.host,
    onFault(fault) {
      unsaved = true
      writeLog(String(fault))
    },
  })
  for (const look of [connections.closeRemoved, engine.machines.recheck]) users?.onChange(look)
  const close = async () => {
    await using _store = store
    using _users = users
    await engine[Symbol.asyncDispose]()
    await parts.host.close()
  }
  endOnSignals(lifetime, args)
  using _followed = store === null ? null : followStore(store, args, parts)
  endOnDefect(writeLog, close, (error) => logEvent?.({ event: 'defect', ...kindOfFault(error) }))
  await acceptStdio(args, connections)
  const ways = waysOf(args, { engine, host: parts.host, folder: page, connections, store, metrics })
  const listeners = await openListeners({ args, env, home, connections, writeLog, ...ways })
  if ('problem' in listeners) {
    await reportProblem(listeners.problem, args)
    await close()
    return cannotListenExitCode
  }
  engine.listensAt({ ...listeners, socket: listeners.socket(), others: listeners.others.map(({ address }) => address) })
  await reportAddresses(listeners, args, { users, store, parts })
  const sweepNow = sweepLater(writeLog, {
    host: parts.host,
    notes: stateFolder(home),
    socket: listeners.socket,
    sweepFolders: () => sweepLeftovers(parts.files, home),
  })
  lifetime.changed()
  await lifetime.over.then(() => sayStoreAway(store))
  await listeners.close()
  const gone = connections.close()
  try {
    await close()
  } catch (error) {
    unsaved = true
    writeLog(String(error))
  }
  await gone
  await sweepNow()
  logEvent?.({ event: 'server.ended', saved: unsaved ? 'no' : 'yes' })
  return unsaved ? unsavedExitCode : 0
}

/** Returns what takes the events of `--log-format json`; nothing where they are not wanted. */
function logOf({ clock }: EngineParts, { logsJson }: ServerArguments): Pick<EngineParts, 'logEvent'> {
  if (!logsJson) return {}
  const write = (line: string) => void process.stderr.write(line)
  return { logEvent: createJsonLog({ now: clock.now, pid: process.pid, write }) }
}

/** Opens the store and the users of a server, each null where there is none. */
async function openShared(args: ServerArguments, parts: EngineParts) {
  const metrics = args.metrics ? createMetrics() : undefined
  const people = await openUsersOfServer(args.users, { ...parts, isStrict: args.role === 'service' })
  if ('problem' in people) return { ...people, exitCode: cannotListenExitCode }
  if (args.page && people.users === null) return { problem: pageNeedsUsers, exitCode: cannotListenExitCode }
  await using wait = waitForStore(args, parts)
  const warn = args.logsJson ? parts.writeLog : warningsOf('server')
  const opened = await openSharedStore(args.store, { ...parts, warn, wait, onPublished: metrics?.published })
  if ('problem' in opened) people.users?.[Symbol.dispose]()
  if ('problem' in opened) return { ...opened, exitCode: noStoreExitCode }
  const shared = {
    ...(opened.store === null ? {} : { store: opened.store }),
    ...(people.users === null ? {} : { users: people.users }),
    ...(metrics === undefined ? {} : { metrics }),
  }
  return { ...opened, ...people, metrics, shared }
}

async function pagesOf(store: Pick<SharedStore, 'others'>): Promise<readonly string[]> {
  return (await store.others()).flatMap(({ page }) => page ?? [])
}

interface Served {
  readonly host: Host
  readonly engine: Engine
  /** Folder of the page. */
  readonly folder: string
  readonly connections: Connections
  readonly store: SharedStore | null
  readonly metrics: Metrics | undefined
}

/** Returns the page that the websockets of a server with users serve; undefined for none. */
function teamPage(args: ServerArguments, { engine: { rightsOf }, folder, connections, store }: Served) {
  if (!args.page || rightsOf === null) return undefined
  // It looks until the process ends: its timer holds nothing up.
  const origins = store === null ? null : watchTeamOrigins(() => pagesOf(store))
  return createTeamPage({
    folder,
    rightsOf,
    otherOrigins: () => origins?.known() ?? [],
    accept: (transport, proven) => connections.accept(transport, 'websocket', proven),
  })
}

/** Returns how tokens are judged, and what is answered besides to clients. */
function waysOf(args: ServerArguments, served: Served) {
  const { engine, host, store, metrics } = served
  return {
    onMoved: (socket: string) => movedTo(socket, { engine, host }),
    rightsOf: engine.rightsOf,
    machines: engine.machines,
    relayTo: store === null ? undefined : relayTargets(store, args.ca),
    page: teamPage(args, served),
    unready: watchReadiness(store, args),
    metrics: metricsOf(engine, metrics),
  }
}

/** Returns the function that writes all metrics of this process; undefined where nothing is counted. */
function metricsOf(engine: Engine, metrics: Metrics | undefined): (() => string) | undefined {
  if (metrics === undefined) return undefined
  const state = watchProcess(engine.identity.serverInfo.version)
  return () => `${metrics.text()}${engine.gauges(state())}`
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

async function reportProblem(problem: string, { isDaemon }: ServerArguments): Promise<void> {
  if (isDaemon) await reportToLauncher({ problem })
  else process.stderr.write(`parley server: ${problem}\n`)
}

interface Reporting {
  readonly users: ServerUsers | null
  readonly store: SharedStore | null
  /** Their `logEvent` takes what is else said in sentences. */
  readonly parts: EngineParts
}

async function reportAddresses(
  { socket: ownSocket, others, announced }: Listeners,
  { isDaemon, role, tls }: ServerArguments,
  { users, store, parts }: Reporting,
): Promise<void> {
  const { logEvent } = parts
  reportCertificate(tls, parts)
  const isLost = store !== null && announced === null && others.length > 0
  if (logEvent !== undefined) {
    for (const { address } of others) logEvent({ event: 'server.listening', address })
    if (isLost) logEvent({ event: 'server.unreachable' })
    return
  }
  if (isLost) process.stderr.write(`${unreachable}\n`)
  const socket = ownSocket()
  const addresses = [...(socket === null ? [] : [socket]), ...others.map(({ address }) => address)]
  if (isDaemon) await reportToLauncher({ addresses })
  else if (role === 'service')
    for (const listener of others) process.stderr.write(`${describeListener(listener, users)}\n`)
}

/** Says that the certificate is one that clients reject: each of them would say so, and nobody here would know. */
function reportCertificate(tls: ServerArguments['tls'], { clock, writeLog, logEvent }: EngineParts): void {
  const problem = describeCertificate(tls, clock.now())
  if (problem === null) return
  writeLog(problem)
  if (logEvent === undefined) process.stderr.write(`${problem}\n`)
  else logEvent({ event: 'server.certificate' })
}

const pageNeedsUsers =
  '--page is for a server with users, who sign in with their tokens: add --users FILE. For a page of your own: parley web.'

const unreachable =
  'parley server: clients of other servers cannot reach this one by that address. Say how they can: --advertise wss://NAME:PORT'

/** Work that keeps a process alive. */
interface Work {
  /** Ends what was not detached, after the last client has gone. Resolves when nothing is open. */
  abandon(): Promise<void>
  /** Resolves when nothing is open. */
  emptied(): Promise<void>
}

export interface LifetimeOptions {
  /**
   * Condition of the end: `clients` lives as long as it has clients or detached work, `service` until a signal or
   * `idleExitMs`.
   */
  readonly kind: 'clients' | 'service'
  /** Time without clients and work after which a service ends; null means never. */
  readonly idleExitMs: number | null
  readonly clients: () => number
  readonly work: Work
  /** Called when something could not be closed; the process ends all the same. */
  readonly onFault: (fault: unknown) => void
}

/** Decides when a server process ends. */
interface Lifetime {
  /** Called when a client has come or gone. */
  changed(): void
  end(): void
  readonly over: Promise<void>
}

export function createLifetime({ kind, idleExitMs, clients, work, onFault }: LifetimeOptions): Lifetime {
  const { promise: over, resolve: end } = Promise.withResolvers<void>()
  let idle: NodeJS.Timeout | undefined
  let changes = 0

  function changed(): void {
    changes += 1
    const asOf = changes
    clearTimeout(idle)
    if (clients() > 0) return
    const rest = kind === 'clients' ? work.abandon() : work.emptied()
    // A client may come meanwhile and take over what was detached.
    void rest.catch(onFault).then(() => asOf === changes && rested())
  }

  function rested(): void {
    if (kind === 'clients') end()
    else if (idleExitMs !== null) idle = setTimeout(end, idleExitMs)
  }

  return { changed, end, over }
}
