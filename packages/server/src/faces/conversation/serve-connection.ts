import type { MethodName } from '@parley/protocol'
import { type CloseReason, createPeer, type MethodHandler, type Peer, type Transport } from '@parley/rpc'
import { asRefusal } from '../../engine/as-refusal.ts'
import type { Engine } from '../../engine/engine.ts'
import { decodeParams } from './decode-params.ts'
import { createHandlers } from './handlers.ts'
import { createSession, type Session } from './session.ts'
import { createStreams } from './streams.ts'

/** Serves the native protocol to one client until its connection closes. A closed connection is one client gone, no more. */
export async function serveConnection(transport: Transport, engine: Engine): Promise<CloseReason> {
  const session = createSession(engine.newClientId(), engine.identity)
  let peer: Peer | null = null
  const streams = createStreams(() => connected(peer), session, engine.report)
  const ignoredMessages = () => Object.values(peer?.faultCounts ?? {}).reduce((sum, count) => sum + count, 0)
  const handlers = createHandlers({ engine, session, streams, ignoredMessages })
  peer = createPeer({
    transport,
    methods: guarded(handlers, session),
    notifications: { initialized: () => session.initialized() },
    onFault: (fault) => engine.report(fault),
  })
  const leave = engine.addClient({ notice: (notice) => peer?.notify('server/notice', notice) })
  const reason = await peer.closed
  leave()
  streams.closeAll()
  return reason
}

function connected(peer: Peer | null): Peer {
  if (peer === null) throw new Error('a stream was opened before its connection')
  return peer
}

/** Order is checked before parameters, parameters before the handler; what ours throws is mapped to the catalogue. */
function guarded(handlers: ReturnType<typeof createHandlers>, session: Session): Record<string, MethodHandler> {
  const names = Object.keys(handlers) as MethodName[] // narrowed: the table has exactly the protocol's methods
  return Object.fromEntries(names.map((name) => [name, guard(name, handlers, session)]))
}

function guard<Name extends MethodName>(
  name: Name,
  handlers: ReturnType<typeof createHandlers>,
  session: Session,
): MethodHandler {
  return (params, context) => {
    if (name !== 'initialize') session.assertReady()
    try {
      const result = handlers[name](decodeParams(name, params), context)
      return result instanceof Promise ? result.catch((error: unknown) => Promise.reject(asRefusal(error))) : result
    } catch (error) {
      throw asRefusal(error)
    }
  }
}
