import { type MethodName, methodAccess } from '@parley/protocol'
import { type CloseReason, createPeer, type MethodHandler, type Peer, type Transport } from '@parley/rpc'
import type { Engine } from '../../engine/engine.ts'
import { asRejection } from '../../engine/replies/rejection.ts'
import { decodeParams } from './decode-params.ts'
import { createHandlers } from './handlers.ts'
import { createInOrder, type InOrder } from './in-order.ts'
import { createSession, type Session } from './session.ts'
import { createStreams } from './streams.ts'

/** One client being served. */
export interface ServedConnection {
  /** It has said who it is. */
  readonly isGreeted: boolean
  /** Settles when it is gone and what only it took part in has been left. */
  readonly gone: Promise<CloseReason>
  close(): Promise<void>
}

export type ConnectionKind = 'stdio' | 'socket' | 'websocket' | 'inProcess'

/** Serves the native protocol to one client until its connection closes. A closed connection is one client gone, no more. */
export async function serveConnection(
  transport: Transport,
  engine: Engine,
  kind: ConnectionKind = 'inProcess',
): Promise<CloseReason> {
  return openConnection(transport, engine, kind).gone
}

export function openConnection(transport: Transport, engine: Engine, kind: ConnectionKind): ServedConnection {
  const { connectedClients, identity } = engine
  const session = createSession({
    clientId: engine.newClientId(),
    identity,
    distinctTitle: connectedClients.distinctTitle,
  })
  let peer: Peer | null = null
  const streams = createStreams({
    peer: () => connected(peer),
    session,
    conversations: () => engine.host.conversations,
    onFault: engine.report,
  })
  const ignoredMessages = () => Object.values(peer?.faultCounts ?? {}).reduce((sum, count) => sum + count, 0)
  const handlers = createHandlers({ engine, session, streams, ignoredMessages })
  const served = createPeer({
    transport,
    methods: guarded(handlers, session),
    notifications: { initialized: () => session.initialized() },
    onFault: (fault) => engine.report(fault),
  })
  peer = served
  const leave = connectedClients.add({
    notice: (notice) => served.notify('server/notice', notice),
    describe: () => describe(session, kind, { streams: streams.count, unreadBytes: served.bufferedBytes }),
  })
  const gone = served.closed.then(async (reason) => {
    leave()
    await Promise.all(streams.leaveAll().map((id) => engine.host.leave(id).catch(engine.report)))
    return reason
  })
  return {
    get isGreeted() {
      return session.isGreeted
    },
    gone,
    close: () => served.close(),
  }
}

function describe(
  { actor, access, isGreeted }: Session,
  transport: ConnectionKind,
  now: { streams: number; unreadBytes: number },
) {
  const { clientId, name, title = name } = actor
  return isGreeted ? { clientId, name, title, access, transport, ...now } : null
}

function connected(peer: Peer | null): Peer {
  if (peer === null) throw new Error('a stream was opened before its connection')
  return peer
}

/** Order is checked before parameters, parameters before the handler; what ours throws is mapped to the catalogue. */
function guarded(handlers: ReturnType<typeof createHandlers>, session: Session): Record<string, MethodHandler> {
  const names = Object.keys(handlers) as MethodName[] // narrowed: the table has exactly the protocol's methods
  const inOrder = createInOrder()
  return Object.fromEntries(names.map((name) => [name, guard(name, handlers, { session, inOrder })]))
}

function guard<Name extends MethodName>(
  name: Name,
  handlers: ReturnType<typeof createHandlers>,
  { session, inOrder }: { readonly session: Session; readonly inOrder: InOrder },
): MethodHandler {
  return (params, context) => {
    session.assertMay(name)
    try {
      const decoded = decodeParams(name, params)
      const conversationId = takesEffect(name) ? conversationOf(decoded) : null
      const handle = () => handlers[name](decoded, context)
      const result = conversationId === null ? handle() : inOrder(conversationId, handle)
      return result instanceof Promise ? result.catch((error: unknown) => Promise.reject(asRejection(error))) : result
    } catch (error) {
      throw asRejection(error)
    }
  }
}

/** Leaving changes nothing that others see, but may end what the client did not mean to leave undone. */
function takesEffect(name: MethodName): boolean {
  return methodAccess[name] === 'change' || name === 'conversation/unstream'
}

function conversationOf(params: object): string | null {
  return 'conversationId' in params && typeof params.conversationId === 'string' ? params.conversationId : null
}
