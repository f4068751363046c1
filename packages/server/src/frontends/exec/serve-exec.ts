import { type CloseReason, createPeer, type Peer, type PeerFault, type Transport } from '@parley/rpc'
import { enforceConduct, type Message } from './conduct.ts'
import type { Confinement } from './confinement/confinement.ts'
import type { EnvironmentInfo } from './describe-environment.ts'
import { createHandlers } from './handlers.ts'
import { createHandshake, type Handshake } from './handshake.ts'
import { createLink } from './link.ts'
import type { Sessions } from './sessions.ts'

export interface ExecFace {
  readonly sessions: Sessions
  readonly confinement: Confinement
  /** As of now. */
  readonly environmentInfo: () => Promise<EnvironmentInfo>
  /** How long one may be connected without saying who it is; null: as long as it likes. */
  readonly greetingMs: number | null
  report(fault: PeerFault): void
}

/**
 * Serves one client until its connection closes; what becomes of its processes then is for `sessions` to say. `detail`
 * tells what the client did that may not be done, if that is why.
 */
export async function serveExec(transport: Transport, face: ExecFace): Promise<CloseReason> {
  const handshake = createHandshake()
  let peer: Peer | null = null
  const link = createLink(transport, () => {
    if (peer === null) throw new Error('a session was opened before its connection')
    return peer
  })
  let misconduct: string | null = null
  const judge = (message: Message) => {
    misconduct = misconductIn(message, handshake)
    return misconduct
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
  return misconduct === null ? reason : { code: 'closed', detail: misconduct }
}

function misconductIn(message: Message, handshake: Handshake): string | null {
  if (message.kind === 'reply') return 'it answered what it was not asked'
  const { method } = message
  if (method !== 'initialized')
    return `it sent the notification ${JSON.stringify(method).slice(0, 100)}; the only one is "initialized"`
  return handshake.confirmed() ? null : 'it sent "initialized" before "initialize"'
}

function turnOut(handshake: Handshake, peer: Peer): void {
  if (handshake.opened === null) void peer.close()
}
