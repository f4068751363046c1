import { type Engine, type LogEvent, rejection } from '@parley/engine'
import { allRights, type ClientAccess, endedAccess, type Rights, type ServerNotice } from '@parley/protocol'
import { type CloseReason, createPeer, type Peer, type Transport } from '@parley/rpc'
import type { WebFrontend } from '../web/web-frontend.ts'
import type { WebPorts } from '../web/web-listener.ts'
import { createHandlers, createMethods } from './methods.ts'
import { type AwaitedStore, notifyStoreAway } from './notify-store-away.ts'
import { createSession, type Session } from './session.ts'
import { createStreams } from './streams.ts'

/** Clients that are connected to this process. */
export interface Connections {
  readonly count: number
  /** Takes ownership of the transport. */
  accept(transport: Transport, kind: ConnectionKind, given?: GrantedAccess): void
  /** Closes the connections of users that were removed or have a new token. */
  closeRemoved(): void
  /** Closes all connections and accepts no more. Resolves when every client has left its conversations. */
  close(): Promise<void>
}

/** Access and rights of a client, as its channel gives them. */
interface GrantedAccess {
  /** Default `full`. */
  readonly access?: ClientAccess
  /** Default: all rights. */
  readonly rights?: Rights
}

interface ConnectionsOptions {
  readonly engine: Engine
  /** Called with the number of clients each time that one connects or disconnects. */
  readonly onChange: (clients: number) => void
  /** Opens the page in a browser, which hands its connections to `accept`; absent for a process without a page. */
  readonly openWeb?: (accept: WebPorts['accept']) => WebFrontend
  /** Takes that clients come and go; left out where nothing is logged. */
  readonly logEvent?: LogEvent | undefined
  /** Store that requests may wait for; absent or null without a store. */
  readonly store?: AwaitedStore | null
  readonly maxClients?: number
  /** Time limit for the first `initialize`; it does not apply to a client on stdio. */
  readonly initializeTimeoutMs?: number
}

type ConnectionKind = 'stdio' | 'socket' | 'websocket' | 'inProcess'

/** Channel of a client, and its access. */
interface Arrival {
  readonly kind: ConnectionKind
  readonly access: ClientAccess
  readonly rights: Rights
  readonly web: WebFrontend | null
}

interface Connection {
  /** True once `initialize` has been answered. */
  readonly isInitialized: boolean
  readonly rights: Rights
  /** Resolves when the connection has closed and the client has left its conversations. */
  readonly gone: Promise<CloseReason>
  close(): Promise<void>
}

export function createConnections(options: ConnectionsOptions): Connections {
  const { engine, onChange, openWeb, logEvent, store = null, maxClients = 256, initializeTimeoutMs = 10_000 } = options
  const open = new Set<Connection>()
  const web = openWeb?.((transport, proven) => accept(transport, 'websocket', proven)) ?? null
  let closing = false

  function accept(
    transport: Transport,
    kind: ConnectionKind,
    { access = 'full', rights = allRights }: GrantedAccess = {},
  ): void {
    if (closing) void transport.close()
    else if (open.size >= maxClients) rejectClient(transport, maxClients)
    else add(transport, { kind, access, rights, web })
  }

  function add(transport: Transport, arrival: Arrival): void {
    const connection = openConnection(transport, engine, { ...arrival, store })
    const timeout = setTimeout(() => connection.isInitialized || void connection.close(), initializeTimeoutMs).unref()
    if (arrival.kind === 'stdio') clearTimeout(timeout)
    const { person } = arrival.rights
    const who = { way: arrival.kind, ...(person.kind === 'user' ? { user: person.name } : { as: person.kind }) }
    logEvent?.({ event: 'client.connected', ...who })
    open.add(connection)
    onChange(open.size)
    void connection.gone.then(() => {
      clearTimeout(timeout)
      open.delete(connection)
      logEvent?.({ event: 'client.disconnected', ...who })
      onChange(open.size)
    })
  }

  return {
    get count() {
      return open.size
    },
    accept,
    closeRemoved() {
      for (const connection of open) if (!connection.rights.has('anyone')) void connection.close()
    },
    async close() {
      closing = true
      const all = [...open]
      await Promise.all(all.map((connection) => connection.close()))
      await Promise.all(all.map(({ gone }) => gone))
    },
  }
}

const rejectedClientMs = 1000

/** Answers `initialize` with `serverOverloaded`, then closes the connection. */
function rejectClient(transport: Transport, maxClients: number): void {
  const close = () => void peer.close()
  const expired = setTimeout(close, rejectedClientMs)
  const initialize = () => {
    setImmediate(close)
    throw rejection(
      'serverOverloaded',
      `This server has ${maxClients} clients already. Close some, or try again later.`,
    )
  }
  const peer = createPeer({ transport, methods: { initialize } })
  void peer.closed.then(() => clearTimeout(expired))
}

/** Serves the native protocol to one client. Resolves when its connection has closed. */
export async function serveConnection(
  transport: Transport,
  engine: Engine,
  { kind = 'inProcess', rights = allRights }: { readonly kind?: ConnectionKind; readonly rights?: Rights } = {},
): Promise<CloseReason> {
  return openConnection(transport, engine, { kind, access: 'full', rights, web: null, store: null }).gone
}

function openConnection(
  transport: Transport,
  engine: Engine,
  { kind, access, rights, web, store }: Arrival & Pick<ConnectionsOptions, 'store'>,
): Connection {
  const { connectedClients, identity } = engine
  const clientId = engine.connectedClients.newId()
  const session = createSession({
    clientId,
    identity,
    distinctTitle: connectedClients.distinctTitle,
    isLocal: kind !== 'websocket',
    mostAccess: access,
    rights,
  })
  let peer: Peer | null = null
  const streams = createStreams({
    peer: () => connected(peer),
    session,
    conversations: () => engine.host.conversations,
    onFault: engine.report,
    onLost(conversationId) {
      connected(peer).notify('server/notice', { ...accessEnded(rights), conversationId })
      streams.leave(conversationId)
      engine.host.leave(conversationId).catch(engine.report)
    },
  })
  const ignoredMessages = () => Object.values(peer?.faultCounts ?? {}).reduce((sum, count) => sum + count, 0)
  let unfollow: (() => void) | null = null
  const followList = () => {
    unfollow ??= engine.host.followList(() => connected(peer).notify('conversation/listChanged', {}))
  }
  const handlers = createHandlers({ engine, session, streams, web, ignoredMessages, followList })
  let isGone = false
  const leaveAll = () =>
    allLeft([...streams.leaveAll().map((id) => engine.host.leave(id)), web?.left(clientId)], engine)
  const followAnswer = store == null ? null : notifyStoreAway(store, (notice) => served.notify('server/notice', notice))
  const served = createPeer({
    transport,
    methods: createMethods(handlers, {
      session,
      shown: (id) => engine.host.shown(id),
      checkRight: engine.rights.check,
      awaited(answer) {
        followAnswer?.(answer)
        // A conversation that was opened for a client that has left would stay open.
        const leaveLate = () => void (isGone && leaveAll())
        answer.then(leaveLate, leaveLate)
      },
    }),
    notifications: { initialized: () => session.initialized() },
    onFault: (fault) => engine.report(fault),
  })
  peer = served
  const leave = connectedClients.add({
    notice(notice) {
      if (mayHear(notice, rights, engine)) served.notify('server/notice', notice)
    },
    loginCompleted(end) {
      if (session.mayLogIn) served.notify('login/completed', end)
    },
    describe: () => describe(session, kind, { streams: streams.count, unreadBytes: served.bufferedBytes }),
  })
  const gone = served.closed.then(async (reason) => {
    isGone = true
    leave()
    unfollow?.()
    await leaveAll()
    return reason
  })
  return {
    rights,
    get isInitialized() {
      return session.isInitialized
    },
    gone,
    close: () => served.close(),
  }
}

/** Returns the notice to a client that may not read a conversation any more. */
function accessEnded({ person }: Rights): ServerNotice {
  const { whole: message } = endedAccess(person.kind === 'operator' ? undefined : person)
  return { level: 'warning', code: 'accessEnded', message }
}

/** Resolves once a client has left all that it took part in. */
async function allLeft(leaving: readonly (Promise<void> | undefined)[], { report }: Engine): Promise<void> {
  await Promise.all(leaving.map((left) => left?.catch(report)))
}

/** Tells if a client may get a notice: users get notices about conversations that they may read. */
function mayHear({ conversationId }: ServerNotice, rights: Rights, { host }: Engine): boolean {
  if (rights.person.kind === 'operator') return true
  if (conversationId === undefined) return false
  return rights.permits('read', { conversationId, access: host.openAccess(conversationId)?.access })
}

function describe(
  { actor, access, isInitialized }: Session,
  transport: ConnectionKind,
  now: { streams: number; unreadBytes: number },
) {
  const { title = actor.name } = actor
  return isInitialized ? { ...actor, title, access, transport, ...now } : null
}

function connected(peer: Peer | null): Peer {
  if (peer === null) throw new Error('a stream was opened before its connection')
  return peer
}
