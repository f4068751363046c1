import type { ExecResultOf } from '@parley/protocol/exec'
import { type CloseReason, createPeer, type Peer, type PeerFault, type Transport } from '@parley/rpc'
import { enforceConduct, type Message } from './conduct.ts'
import { createHandlers } from './handlers.ts'
import { createHandshake, type Handshake } from './handshake.ts'
import { createLink } from './link.ts'
import type { Sessions } from './sessions.ts'

export interface ExecFace {
  readonly sessions: Sessions
  readonly environmentInfo: ExecResultOf<'environment/info'>
  /** How long one may be connected without saying who it is; null: as long as it likes. */
  readonly greetingMs: number | null
  report(fault: PeerFault): void
}

/** Serves one client until its connection closes; what becomes of its processes then is for `sessions` to say. */
export async function serveExec(transport: Transport, face: ExecFace): Promise<CloseReason> {
  const handshake = createHandshake()
  let peer: Peer | null = null
  const link = createLink(transport, () => {
    if (peer === null) throw new Error('a session was opened before its connection')
    return peer
  })
  const judge = (message: Message) => {
    if (message.kind === 'reply') return 'an answer to nothing that was asked'
    const isDue = message.method === 'initialized' && handshake.confirmed()
    return isDue ? null : 'a notification that is not due'
  }
  peer = createPeer({
    transport: enforceConduct(transport, judge),
    methods: createHandlers({ handshake, link, ...face }),
    onFault: face.report,
  })
  const hurry = face.greetingMs === null ? undefined : setTimeout(turnOut, face.greetingMs, handshake, peer).unref()
  const reason = await peer.closed
  clearTimeout(hurry)
  const session = handshake.opened
  if (session !== null) await face.sessions.leave(session, link)
  return reason
}

function turnOut(handshake: Handshake, peer: Peer): void {
  if (handshake.opened === null) void peer.close()
}
